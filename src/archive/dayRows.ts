import type { DatabaseSync } from 'node:sqlite';
import type { StoredRow } from '../integrity/leaf/leafEntry.ts';

/** Where the events of some streams are in the log. */
export interface Extent {
  readonly first: number;
  readonly last: number;
  readonly events: number;
}

const ROWS_PER_READ = 512;

/** The positions of the rows of some streams; undefined when there is none. */
export function extentOf(database: DatabaseSync, streams: readonly string[]): Extent | undefined {
  const statement = database.prepare(
    'SELECT min(position) AS first, max(position) AS last, count(*) AS events FROM events WHERE stream = ?',
  );
  const extents = streams
    .map((stream) => statement.get(stream) as unknown as Extent)
    .filter(({ events }) => events > 0);
  if (extents.length === 0) return undefined;
  return {
    first: Math.min(...extents.map(({ first }) => first)),
    last: Math.max(...extents.map(({ last }) => last)),
    events: extents.reduce((sum, { events }) => sum + events, 0),
  };
}

/** The rows of some streams in the order of their positions. */
export function* rowsOf(
  database: DatabaseSync,
  streams: readonly string[],
  { first, last }: Extent,
): Generator<StoredRow> {
  const wanted = new Set(streams);
  const page = database.prepare(
    `SELECT position, stream, revision, id, type, version, time, data, metadata FROM events
     WHERE position >= ? AND position <= ? ORDER BY position LIMIT ${ROWS_PER_READ}`,
  );
  for (let from = first; from <= last; ) {
    const rows = page.all(from, last) as unknown as StoredRow[];
    for (const row of rows) if (wanted.has(row.stream)) yield row;
    const end = rows.at(-1);
    if (!end) return;
    from = end.position + 1;
  }
}
