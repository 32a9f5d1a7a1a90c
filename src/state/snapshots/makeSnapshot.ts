import type { Position } from '../../domain/core/brands.ts';
import { createReader } from '../../eventLog/sqlite/reader.ts';
import type { Fold } from '../fold/fold.ts';
import { continueFold } from '../pages/foldFile.ts';
import { PageReader } from '../pages/pageReader.ts';
import { firstFold } from './sealedFold.ts';
import type { SnapshotMark } from './snapshotBytes.ts';
import { SnapshotFolder, snapshotName } from './snapshotFolder.ts';
import { SnapshotVerifier } from './snapshotVerifier.ts';

/** The task of a snapshot thread. */
export interface SnapshotTask {
  /** The log's file. */
  readonly logPath: string;
  readonly folder: string;
  /** The key of the folder. */
  readonly key: Uint8Array;
  /** File name of the snapshot to continue from, or to verify. */
  readonly basis: string | undefined;
  /** Whether to fold the log from its beginning and compare the basis with that. */
  readonly verifies: boolean;
  /** Minimum number of events since the basis for a new snapshot. */
  readonly minEvents: number;
}

export type SnapshotOutcome =
  | {
      readonly kind: 'done';
      /** Where the newest snapshot ends. */
      readonly position: Position;
      /** Its file; undefined when none was due yet. */
      readonly name: string | undefined;
    }
  /** The snapshot, or the log before it, was changed; `reason` describes the difference. */
  | { readonly kind: 'refuted'; readonly reason: string };

const SQLITE_BUSY = 5;

/**
 * Folds the log and writes a snapshot of its end; takes seconds for a million events. The log is read from its file, so events
 * that the main thread applied before the log delivered them are not included.
 */
export function makeSnapshot({
  logPath,
  folder: path,
  key,
  basis,
  verifies,
  minEvents,
}: SnapshotTask): SnapshotOutcome {
  const reader = new PageReader(logPath);
  try {
    const folder = new SnapshotFolder(path, key);
    const first = firstFold(logPath);
    const sealedUpTo = first.state.position;
    const read = basis === undefined ? undefined : folder.read(basis);
    // Rows behind an older snapshot may be archived.
    const found = read && read.position > sealedUpTo ? read : undefined;
    const fold = found && !verifies ? found.fold : first;
    if (found && verifies) {
      const reason = verify(fold, new SnapshotVerifier(found.fold, sealedUpTo), reader, found.position);
      if (reason !== undefined) return { kind: 'refuted', reason };
    }
    const head = reader.head();
    if (head - (found?.position ?? sealedUpTo) < minEvents)
      return { kind: 'done', position: found?.position ?? sealedUpTo, name: found && basis };
    continueFold(fold, reader, head);
    folder.write({ ...markAt(logPath, head), fold });
    return { kind: 'done', position: head, name: snapshotName(head) };
  } finally {
    reader.close();
  }
}

/** @returns why the snapshot is refuted: the error of a start without it, or the difference; undefined when it matches */
function verify(fold: Fold, verifier: SnapshotVerifier, reader: PageReader, upTo: Position): string | undefined {
  try {
    continueFold(fold, reader, upTo, () => verifier.onFolded(fold));
    return verifier.isComplete ? undefined : 'the log lacks events that the snapshot was made from';
  } catch (error) {
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) throw error;
    return (error as Error).message;
  }
}

function markAt(logPath: string, position: Position): SnapshotMark {
  const reader = createReader(logPath);
  try {
    const [event] = reader.storedPage((position - 1) as Position, position);
    if (!event) throw new Error(`the log has no event at ${position}`);
    return { position, eventId: event.id, eventHash: event.metadata.hash };
  } finally {
    reader.close();
  }
}
