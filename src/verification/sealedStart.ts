import type { DatabaseSync } from 'node:sqlite';
import { LOSSES_STREAM } from '../domain/losses/events.ts';
import type { ArchivedEvents } from '../eventLog/archive/archivedEvents.ts';
import type { Segment } from '../eventLog/archive/segment.ts';
import { openForReading } from '../eventLog/sqlite/database.ts';
import { EVENT_COLUMNS } from '../eventLog/sqlite/eventTuple.ts';
import { leafEntryOf, type StoredRow } from '../integrity/leaf/leafEntry.ts';
import type { CompactRange } from '../integrity/merkle/compactRange.ts';
import { newestOf, type OpenArchive } from './archive.ts';
import type { Finding } from './finding.ts';
import { sealedTree } from './sealedTree.ts';

/** What a verification takes from the newest seal instead of the events up to it (docs/decisions/0124-verify-what-is-unsealed.md). */
export interface SealedStart {
  /** Position of the last event that is not verified. */
  readonly upTo: number;
  readonly day: string;
  /** The tree over these events, with the sealed root. */
  readonly range: CompactRange;
  /** The entry of the first leaf, from which the origin of checkpoints follows. */
  readonly firstEntry: string;
}

export type FoundStart =
  | { readonly start: SealedStart }
  | { readonly finding: Finding }
  /** Why everything has to be verified. */
  | { readonly note: string };

/** @param segments archived ones whose seals are those in the log */
export function findSealedStart(log: string, archive: OpenArchive, segments: readonly Segment[]): FoundStart {
  const newest = newestOf(segments);
  if (!newest) return { note: 'No day is archived, so that everything was verified.' };
  const { upTo, day, root } = newest.header;
  const database = openForReading(log);
  try {
    const loss = database
      .prepare('SELECT max(position) AS position FROM events WHERE stream = ? AND position <= ?')
      .get(LOSSES_STREAM, upTo)?.position;
    if (typeof loss === 'number')
      return {
        note: `A loss was accepted at position ${loss}, before the newest seal, so that everything was verified.`,
      };
    const { range, firstEntry } = archive.events.read((archived) => ({
      range: archived && treeOf(archived, newest),
      firstEntry: archived?.entryAt(1) ?? entryOfRow(database),
    }));
    if (range && firstEntry !== undefined) return { start: { upTo, day, range, firstEntry } };
    return {
      finding: {
        kind: 'edited',
        position: null,
        stream: 'archive.sqlite',
        expected: `tiles with the root ${root} of the first ${upTo} events, as the seal of ${day} says`,
        found: range ? 'no first event' : 'others',
      },
    };
  } finally {
    database.close();
  }
}

/** @returns undefined also where the segment is gone */
function treeOf(archived: ArchivedEvents, newest: Segment): CompactRange | undefined {
  const isThere = archived.segments().some(({ number, status }) => number === newest.number && status === 'archived');
  return isThere ? sealedTree(archived, newest) : undefined;
}

function entryOfRow(database: DatabaseSync): string | undefined {
  const row = database.prepare(`SELECT ${EVENT_COLUMNS} FROM events WHERE position = 1`).get();
  return row && leafEntryOf(row as unknown as StoredRow);
}
