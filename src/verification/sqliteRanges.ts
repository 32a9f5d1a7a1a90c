import type { FollowedArchive } from '../eventLog/archive/followedArchive.ts';
import { openForReading } from '../eventLog/sqlite/database.ts';
import type { ScanRange } from './scanProtocol.ts';

/** Positions in a range: some 20 ms of work, and 2 MB of events. */
const POSITIONS = 2_048;

export interface SqliteExtent {
  /** Position of the last event; 0 when there is none. */
  readonly last: number;
  /** The ranges with events after `from` up to and including `to`. */
  ranges(from: number, to: number): Generator<ScanRange>;
  close(): void;
}

/**
 * Reads where a log's file has events. A file without the table of events has none.
 * @param archive knows events without rows
 */
export function openExtent(location: string, archive?: FollowedArchive): SqliteExtent {
  const database = openForReading(location);
  const hasTable = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'events'").get() !== undefined;
  if (!hasTable) return { last: 0, *ranges() {}, close: () => database.close() };
  const first = database.prepare('SELECT min(position) AS first FROM events WHERE position > ?');
  const nextAfter = (after: number): number => {
    const [row, entry] = archive
      ? archive.read((archived) => [first.get(after)?.first, archived?.firstAfter(after)])
      : [first.get(after)?.first];
    return Math.min(
      (row as number | null) ?? Number.POSITIVE_INFINITY,
      (entry as number | undefined) ?? Number.POSITIVE_INFINITY,
    );
  };
  const last = database.prepare('SELECT coalesce(max(position), 0) AS last FROM events').get()?.last as number;
  return {
    last,
    *ranges(from, to) {
      for (let after = from; after < to; ) {
        // A gap may be long.
        const next = nextAfter(after);
        if (next > to) return;
        const end = Math.min(next - 1 + POSITIONS, to);
        yield { from: next - 1, to: end };
        after = end;
      }
    },
    close: () => database.close(),
  };
}
