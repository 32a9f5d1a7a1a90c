import type { DatabaseSync } from 'node:sqlite';
import { type Position, position } from '../../domain/core/brands.ts';
import { ArchivedEvents } from '../../eventLog/archive/archivedEvents.ts';
import { parseLeafEntry } from '../../integrity/leaf/leafEntry.ts';
import type { TimedEvent } from '../fold/timeline.ts';
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

  /** When the events after a position, up to and including another, were written, in order. Of archived ones their leaf entries say it. */
  *times(after: Position, upTo: Position): Generator<TimedEvent> {
    const rows = this.#database.prepare(
      `SELECT position, time, type, CASE type WHEN 'ClockJumped' THEN data END AS data
       FROM events WHERE position > ? AND position <= ? ORDER BY position`,
    );
    let archived: ArchivedEvents | undefined;
    try {
      let last = after;
      for (const { data, ...row } of rows.iterate(after, upTo)) {
        const event = { ...row, data: typeof data === 'string' ? JSON.parse(data) : null } as unknown as TimedEvent;
        if (event.position > last + 1) {
          archived ??= ArchivedEvents.open(this.#archivePath);
          yield* archivedTimes(archived, last, event.position - 1);
        }
        yield event;
        last = event.position;
      }
      if (last < upTo) archived ??= ArchivedEvents.open(this.#archivePath);
      yield* archivedTimes(archived, last, upTo);
    } finally {
      archived?.close();
    }
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

function* archivedTimes(archived: ArchivedEvents | undefined, after: number, upTo: number): Generator<TimedEvent> {
  for (const { position: at, entry } of archived?.entries(after, upTo) ?? []) {
    const { time, type } = parseLeafEntry(entry);
    yield { position: position(at), time, type, data: null } as unknown as TimedEvent;
  }
}
