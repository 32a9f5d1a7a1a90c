import type { Position } from '../../domain/core/brands.ts';
import type { StoredEvent } from '../eventLog.ts';
import { sizeOfText } from '../eventSize.ts';
import { openForReading } from '../sqlite/database.ts';
import { EVENT_COLUMNS } from '../sqlite/eventRows.ts';
import { type StoredRow, toStoredEvent } from '../sqlite/reader.ts';

/** An event in the outbox, and its size in an append. */
export interface OutboxEvent extends StoredEvent {
  readonly bytes: number;
}

/** A stream in the file of an outbox. */
export interface OutboxStream {
  readonly stream: string;
  /** Revision of its first event in the file. */
  readonly first: number;
  readonly count: number;
}

/** Reads the file of an outbox in the calling thread. No read transaction outlives a page. */
export interface OutboxReader {
  /** Events after a position, in order, up to the last one at the time of the call, without those of some streams. */
  readAll(after: Position, except: ReadonlySet<string>): AsyncGenerator<OutboxEvent>;
  /** Events of a stream from a revision on. */
  readStream(stream: string, fromRevision: number): AsyncGenerator<OutboxEvent>;
  /** The event at a revision of a stream, which must be there. */
  readOne(stream: string, revision: number): OutboxEvent;
  /** The streams in the file, also those of which only drained events are there. */
  streamNames(): string[];
  streams(): OutboxStream[];
  /** Ids of up to `maxCount` events of a stream from a revision on, which follow each other. */
  ids(stream: string, fromRevision: number, maxCount: number): string[];
  close(): void;
}

/** A page ends after this many events or bytes: an event may have megabytes in a file of an older version. */
const PAGE_EVENTS = 512;
const PAGE_BYTES = 4 * 1_024 * 1_024;

/** Opens a reader of an outbox file, which must exist. */
export function openOutboxReader(path: string): OutboxReader {
  const database = openForReading(path);
  const select = `SELECT ${EVENT_COLUMNS}, id, metadata FROM events`;
  const all = database.prepare(
    `${select} WHERE position > ? AND position <= ? AND stream NOT IN (SELECT value FROM json_each(?)) ORDER BY position`,
  );
  const ofStream = database.prepare(`${select} WHERE stream = ? AND revision >= ? ORDER BY revision`);
  for (const statement of [all, ofStream]) statement.setReturnArrays(true);
  const head = database.prepare('SELECT coalesce(max(position), 0) AS head FROM events');
  // One look into the index per stream, however many events it has.
  const names = database.prepare(`
    WITH RECURSIVE names(stream) AS (
      SELECT min(stream) FROM events
      UNION ALL
      SELECT (SELECT min(stream) FROM events WHERE stream > names.stream) FROM names WHERE names.stream IS NOT NULL
    ) SELECT stream FROM names WHERE stream IS NOT NULL`);
  const counts = database.prepare(
    'SELECT stream, min(revision) AS first, count(*) AS count FROM events GROUP BY stream',
  );
  const ids = database.prepare('SELECT id FROM events WHERE stream = ? AND revision >= ? ORDER BY revision LIMIT ?');

  return {
    async *readAll(after, except) {
      const upTo = (head.get() as { head: number }).head;
      const excluded = JSON.stringify([...except]);
      for (let cursor: number = after; ; ) {
        const page = takePage(all.iterate(cursor, upTo, excluded));
        yield* page;
        const last = page.at(-1);
        if (!last) return;
        cursor = last.position;
      }
    },
    async *readStream(stream, fromRevision) {
      for (let next = fromRevision; ; ) {
        const page = takePage(ofStream.iterate(stream, next));
        yield* page;
        const last = page.at(-1);
        if (!last) return;
        next = last.revision + 1;
      }
    },
    readOne: (stream, revision) => toOutboxEvent(ofStream.get(stream, revision) as unknown as StoredRow),
    streamNames: () => (names.all() as { stream: string }[]).map(({ stream }) => stream),
    streams: () => counts.all() as unknown as OutboxStream[],
    ids: (stream, fromRevision, maxCount) =>
      (ids.all(stream, fromRevision, maxCount) as { id: string }[]).map(({ id }) => id),
    close: () => database.close(),
  };
}

/** Leaving the loop ends the statement, and with it the read transaction. */
function takePage(rows: Iterable<unknown>): OutboxEvent[] {
  const page: OutboxEvent[] = [];
  let total = 0;
  for (const row of rows as Iterable<StoredRow>) {
    const event = toOutboxEvent(row);
    page.push(event);
    total += event.bytes;
    if (page.length === PAGE_EVENTS || total >= PAGE_BYTES) break;
  }
  return page;
}

function toOutboxEvent(row: StoredRow): OutboxEvent {
  const [, , , , , , data, , metadata] = row;
  return { ...toStoredEvent(row), bytes: sizeOfText(data, metadata) };
}
