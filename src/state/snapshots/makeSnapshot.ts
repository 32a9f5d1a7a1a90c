import type { Position } from '../../domain/core/brands.ts';
import { createReader } from '../../eventLog/sqlite/reader.ts';
import { emptyFold, type Fold } from '../fold/fold.ts';
import { foldOn } from '../pages/foldFile.ts';
import { PageReader } from '../pages/pageReader.ts';
import { dataOf, foldFrom } from './foldData.ts';
import { Proof } from './proof.ts';
import type { SnapshotMark } from './snapshotFile.ts';
import { SnapshotFolder } from './snapshotFolder.ts';

/** What a thread is to do. */
export interface SnapshotTask {
  /** A file that has every event at its position. */
  readonly logPath: string;
  readonly folder: string;
  /** The snapshot to go on from, or to prove. */
  readonly basis: string | undefined;
  /** Whether the log is to be folded from its beginning and the basis held against that. */
  readonly proves: boolean;
  /** A new snapshot is not worth writing for fewer events. */
  readonly every: number;
}

export type SnapshotOutcome =
  | { readonly kind: 'done' /** Where the newest snapshot ends. */; readonly position: Position }
  /** The snapshot, or the log before it, was changed: `reason` says how that shows. */
  | { readonly kind: 'refuted'; readonly reason: string };

const SQLITE_BUSY = 5;

/**
 * Folds a log and writes a snapshot of its end. It takes seconds for a million events and needs nobody else: the log is read
 * from its file, so what was folded ahead of it is not in there.
 */
export function makeSnapshot({ logPath, folder: path, basis, proves, every }: SnapshotTask): SnapshotOutcome {
  const reader = new PageReader(logPath);
  try {
    const folder = new SnapshotFolder(path);
    const found = basis === undefined ? undefined : folder.read(basis);
    const fold = found && !proves ? foldFrom(found.data) : emptyFold();
    if (found && proves) {
      const refutation = prove(fold, new Proof(found.data), reader, found.position);
      if (refutation !== undefined) return { kind: 'refuted', reason: refutation };
    }
    const head = reader.head();
    if (head - (found?.position ?? 0) < every) return { kind: 'done', position: found?.position ?? (0 as Position) };
    foldOn(fold, reader, head);
    folder.write({ ...markAt(logPath, head), data: dataOf(fold) });
    return { kind: 'done', position: head };
  } finally {
    reader.close();
  }
}

/** @returns why not, if so: what a start without the snapshot would have met, or that the log gives another state */
function prove(fold: Fold, proof: Proof, reader: PageReader, upTo: Position): string | undefined {
  try {
    foldOn(fold, reader, upTo, () => proof.onFolded(fold));
    return proof.isComplete ? undefined : 'the log lacks events that the snapshot was made from';
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
