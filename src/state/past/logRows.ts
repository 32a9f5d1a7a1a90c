import type { DatabaseSync } from 'node:sqlite';
import type { Position } from '../../domain/core/brands.ts';
import { ArchivedEvents } from '../../eventLog/archive/archivedEvents.ts';
import { MomentArchived } from './past.ts';

/** Which events of a log have rows in its file. A service that archives removes rows at any time, after the archive has their events. */
export class LogRows {
  readonly #database: DatabaseSync;
  readonly #archivePath: string;

  /** @param archivePath as of `ArchivedEvents.open` */
  constructor(database: DatabaseSync, archivePath: string) {
    this.#database = database;
    this.#archivePath = archivePath;
  }

  /** Whether each event after a position, up to and including another, has one. */
  hasAll(after: Position, upTo: Position): boolean {
    const sql = 'SELECT count(*) AS rows FROM events WHERE position > ? AND position <= ?';
    return this.#database.prepare(sql).get(after, upTo)?.rows === upTo - after;
  }

  /** @throws MomentArchived when one of these events is archived; other gaps are found by the fold */
  require(after: Position, upTo: Position): void {
    if (this.hasAll(after, upTo)) return;
    const archived = ArchivedEvents.open(this.#archivePath);
    const hasRow = this.#database.prepare('SELECT 1 FROM events WHERE position = ?');
    try {
      for (let at = archived?.firstAfter(after); at !== undefined && at <= upTo; at = archived?.firstAfter(at)) {
        const segment = archived?.segmentAt(at);
        if (segment && !hasRow.get(at)) throw new MomentArchived(at, segment.header);
      }
    } finally {
      archived?.close();
    }
  }
}
