import { existsSync } from 'node:fs';
import { openDatabase } from '../../dataFolder/openDatabase.ts';
import { ArchivedEvents } from '../../eventLog/archive/archivedEvents.ts';
import { archivePathOf } from '../../eventLog/archive/archiveFile.ts';
import type { LogBreak } from '../../eventLog/continuity.ts';
import { readAcceptedUpTo } from '../../eventLog/sqlite/acceptedLosses.ts';
import { EVENT_COLUMNS, type EventTuple } from '../../eventLog/sqlite/eventTuple.ts';
import { leafEntryOf } from '../leaf/leafEntry.ts';
import { missingEntryOf } from '../leaf/missingEntry.ts';

/** Leaf entries of consecutive positions. */
export interface LeafEntries {
  readonly entries: readonly string[];
  /** The event before which the entries end because the positions between are missing, and the loss is not accepted. */
  readonly broken: LogBreak | undefined;
}

const NONE: LeafEntries = { entries: [], broken: undefined };
const BUSY_TIMEOUT_MS = 5_000;
/** Few enough that the rows do not outlive V8's young generation. */
const ROWS_PER_READ = 64;

/** Makes the leaf entries of the events in a log's file, through a connection of its own, so that appends do not wait. */
export class LeafSource {
  readonly #path: string;
  readonly #archivePath: string;
  #open: ReturnType<typeof open> | undefined;

  /** @param path the log's file, which may not exist yet @param archivePath where `archive.sqlite` is, if it is not beside the log */
  constructor(path: string, archivePath = archivePathOf(path)) {
    this.#path = path;
    this.#archivePath = archivePath;
  }

  /** Position of the last event; 0 for an empty log. */
  end(): number {
    return (this.#statements()?.end.get()?.position ?? 0) as number;
  }

  /** The leaf entries after a position, at most so many. @throws the error of SQLite; for a damaged file it names the file */
  after(after: number, limit: number): LeafEntries {
    const statements = this.#statements();
    if (!statements) return NONE;
    const entries: string[] = [];
    for (let next = after + 1; entries.length < limit; ) {
      const rows = statements.page.all(
        next - 1,
        Math.min(limit - entries.length, ROWS_PER_READ),
      ) as unknown as EventTuple[];
      for (const row of rows) {
        if (row[0] > next) {
          next = this.#addArchived(entries, next, Math.min(row[0] - 1, next - 1 + limit - entries.length));
        }
        if (row[0] > next && entries.length < limit) {
          if (row[0] > readAcceptedUpTo(statements.database)) return { entries, broken: breakAt(row, next) };
          while (next < row[0] && entries.length < limit) entries.push(missingEntryOf(next++));
        }
        if (entries.length === limit) break;
        entries.push(entryOf(row));
        next += 1;
      }
      if (rows.length === 0) break;
    }
    return { entries, broken: undefined };
  }

  /** Adds the leaf entries of archived events in a gap. @returns the first position that is not archived */
  #addArchived(entries: string[], first: number, last: number): number {
    let next = first;
    const archived = ArchivedEvents.open(this.#archivePath);
    try {
      for (const { position, entry } of archived?.entries(first - 1, last) ?? []) {
        if (position !== next) break;
        entries.push(entry);
        next += 1;
      }
      return next;
    } finally {
      archived?.close();
    }
  }

  close(): void {
    this.#open?.database.close();
    this.#open = undefined;
  }

  #statements() {
    // A log without a file is empty.
    if (!this.#open && existsSync(this.#path)) this.#open = open(this.#path);
    return this.#open;
  }
}

function open(path: string) {
  const database = openDatabase(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  const page = database.prepare(
    `SELECT ${EVENT_COLUMNS} FROM events
     WHERE position > ? ORDER BY position LIMIT ?`,
  );
  page.setReturnArrays(true);
  return { database, page, end: database.prepare('SELECT max(position) AS position FROM events') };
}

const entryOf = ([position, stream, revision, id, type, version, time, data, metadata]: EventTuple): string =>
  leafEntryOf({ position, stream, revision, id, type, version, time, data, metadata });

const breakAt = ([position, stream, revision]: EventTuple, next: number): LogBreak => ({
  position,
  stream,
  revision,
  reason: `follows position ${next - 1}`,
});
