import { createHash } from 'node:crypto';
import { position } from '../domain/core/brands.ts';
import type { ArchivedEvents } from '../eventLog/archive/archivedEvents.ts';
import type { ArchiveWriter, SegmentDraft } from '../eventLog/archive/archiveWriter.ts';
import { DayFileWriter } from '../eventLog/archive/dayFile.ts';
import { type Segment, type SegmentHeader, sealOf } from '../eventLog/archive/segment.ts';
import { describeBreak } from '../eventLog/continuity.ts';
import { openForReading } from '../eventLog/sqlite/database.ts';
import { chainOf, continuedHashOf } from '../eventLog/storedChain.ts';
import { HashVerifier } from '../eventLog/verification/hashVerifier.ts';
import { leafEntryOf, type StoredRow } from '../integrity/leaf/leafEntry.ts';
import { MerkleTree } from '../integrity/merkle/merkleTree.ts';
import { edgeOf, joinEdge } from '../integrity/merkle/treeEdge.ts';
import { LeafSource } from '../integrity/tree/leafSource.ts';
import { ROLL_UPS_VERSION, RollUpCollector } from '../readModels/archivedRollUps.ts';
import { continueFold } from '../state/pages/foldFile.ts';
import { PageReader } from '../state/pages/pageReader.ts';
import { FOLD_VERSION } from '../state/snapshots/foldVersion.ts';
import { encodeSealedState, firstFold } from '../state/snapshots/sealedFold.ts';
import { CannotArchive } from './cannotArchive.ts';
import type { RequestDay } from './closedDays.ts';
import { type Extent, extentOf, rowsOf } from './dayRows.ts';

export interface SealOptions {
  readonly logPath: string;
  /** The folder of archive files. */
  readonly folder: string;
  readonly archived: ArchivedEvents | undefined;
  readonly writer: ArchiveWriter;
  /** Called now and then with the number of events that are done. */
  readonly onProgress?: ((done: number, of: number) => void) | undefined;
}

const LEAVES_PER_STEP = 2_048;
const EVENTS_PER_REPORT = 10_000;

/**
 * Writes a day to a file and seals its segment. Nothing of the log changes; a segment of the same number that was never archived is
 * replaced.
 * @returns the header of the segment and its seal; undefined when the log has no rows of these streams
 * @throws CannotArchive, and the errors of files
 */
export function sealDay(
  { day, streams }: RequestDay,
  { logPath, folder, archived, writer, onProgress }: SealOptions,
): { readonly header: SegmentHeader; readonly seal: string } | undefined {
  const database = openForReading(logPath);
  try {
    const extent = extentOf(database, streams);
    if (!extent) return undefined;
    const before = archived?.newest();
    const upTo = Math.max(extent.last, before?.header.upTo ?? 0);
    requireIntact(logPath, Math.min(extent.first - 1, before?.header.upTo ?? 0), upTo, archived);
    const tree = treeUpTo(logPath, archived, before, upTo);
    const state = stateAt(logPath, upTo);
    const number = writer.nextNumber();
    const draft = writer.begin(number);
    try {
      const { rollUps, ...written } = writeEvents({
        day,
        streams,
        extent,
        folder,
        logPath,
        draft,
        database,
        onProgress,
      });
      const header: SegmentHeader = {
        v: 1,
        number,
        day,
        ...written,
        first: extent.first,
        last: extent.last,
        upTo,
        root: tree.root().toString('hex'),
        foldVersion: FOLD_VERSION,
        stateSha256: sealOf(state),
        rollUpsVersion: ROLL_UPS_VERSION,
        rollUpsSha256: sealOf(rollUps),
      };
      return { header, seal: draft.seal({ header, edge: joinEdge(tree), state, rollUps }) };
    } catch (error) {
      draft.abort();
      throw error;
    }
  } finally {
    database.close();
  }
}

/** What is archived becomes the record: a log that is not what was written must be looked at first. */
function requireIntact(logPath: string, after: number, upTo: number, archived: ArchivedEvents | undefined): void {
  const database = openForReading(logPath);
  try {
    const verifier = new HashVerifier(database, after, undefined, archived);
    while (verifier.position < upTo) {
      const found = verifier.step();
      if (!found) return;
      const first = found.find(({ position: at }) => at <= upTo);
      if (first)
        throw new CannotArchive(
          'log_not_intact',
          `${describeBreak(logPath, first)} Nothing was archived: run "svc verify" and restore the log first.`,
        );
    }
  } finally {
    database.close();
  }
}

/** The tree over all events up to a position, continued from the end of the segment before. */
function treeUpTo(
  logPath: string,
  archived: ArchivedEvents | undefined,
  before: Segment | undefined,
  upTo: number,
): MerkleTree {
  const size = before?.header.upTo ?? 0;
  const tree = before && archived ? MerkleTree.resume(size, edgeOf(size, archived.edgeOf(before))) : new MerkleTree();
  if (before && tree.root().toString('hex') !== before.header.root)
    throw new CannotArchive(
      'archive_damaged',
      `The tree of segment ${before.number} in archive.sqlite was changed. Restore the file from a backup.`,
    );
  const leaves = new LeafSource(logPath);
  try {
    while (tree.size < upTo) {
      const { entries } = leaves.after(tree.size, Math.min(LEAVES_PER_STEP, upTo - tree.size));
      if (entries.length === 0)
        throw new CannotArchive(
          'log_not_intact',
          `The log lacks the event at position ${tree.size + 1}. Nothing was archived: restore the log first.`,
        );
      for (const entry of entries) tree.append(entry);
    }
    return tree;
  } finally {
    leaves.close();
  }
}

/** The state of the fold at a position, continued from the end of the segment before. */
function stateAt(logPath: string, upTo: number): Buffer {
  const fold = firstFold(logPath);
  const reader = new PageReader(logPath);
  try {
    continueFold(fold, reader, position(upTo));
    return encodeSealedState(fold);
  } finally {
    reader.close();
  }
}

interface EventsToWrite extends RequestDay, Pick<SealOptions, 'folder' | 'logPath' | 'onProgress'> {
  readonly extent: Extent;
  readonly draft: SegmentDraft;
  readonly database: ReturnType<typeof openForReading>;
}

/** Writes the rows to the file and their leaf entries to the segment. */
function writeEvents({ day, streams, extent, folder, logPath, draft, database, onProgress }: EventsToWrite) {
  const file = new DayFileWriter(folder, day, createHash('sha256').update(logPath).digest('hex').slice(0, 8));
  const types = new Map<string, number>();
  const heads = new Map<string, [stream: string, events: number, revision: number, hash: string | null]>();
  const collector = new RollUpCollector();
  let events = 0;
  try {
    for (const row of rowsOf(database, streams, extent)) {
      draft.add(row.position, leafEntryOf(row), keyOf(row));
      file.add(row);
      collector.add(row);
      events += 1;
      types.set(row.type, (types.get(row.type) ?? 0) + 1);
      const hash = continuedHashOf(row.type, row.data, chainOf(row.metadata)) ?? null;
      heads.set(row.stream, [row.stream, (heads.get(row.stream)?.[1] ?? 0) + 1, row.revision, hash]);
      if (events % EVENTS_PER_REPORT === 0) onProgress?.(events, extent.events);
    }
    const entriesSha256 = draft.finishEntries();
    return {
      events,
      types: Object.fromEntries([...types].toSorted(([a], [b]) => (a < b ? -1 : 1))),
      streams: [...heads.values()],
      file: file.finish(),
      entriesSha256,
      rollUps: collector.encode(),
    };
  } catch (error) {
    file.abort();
    throw error;
  }
}

const KEY_ID = /^\{"requestId":"[^"\\]*","keyId":"([^"\\]+)"/;

/** The API key that a request's end names. */
const keyOf = ({ data }: StoredRow): string | null => KEY_ID.exec(data)?.[1] ?? null;
