import type { Position } from '../../domain/core/brands.ts';
import type { Reader } from '../../eventLog/sqlite/reader.ts';
import type { OpenSnapshot } from '../snapshots/snapshotFile.ts';
import { SnapshotFolder } from '../snapshots/snapshotFolder.ts';

/** Where the snapshots of a data folder are, and the key that authenticates them. */
export interface SnapshotPlace {
  readonly folder: string;
  /** From `snapshotKey`. */
  readonly key: Uint8Array;
}

/**
 * The newest snapshot that is authentic, of this version of the fold, and whose last event the log has; undefined when there is
 * none. Unlike at a start, an unusable one stays where it is: nothing in the folder changes. Parts that cannot be used are found
 * when they are asked for.
 */
export function nearestSnapshot(reader: Reader, { folder: path, key }: SnapshotPlace): OpenSnapshot | undefined {
  const folder = new SnapshotFolder(path, key);
  for (const name of folder.names()) {
    const snapshot = openOrSkip(folder, name);
    if (!snapshot) continue;
    const [last] = reader.storedPage((snapshot.position - 1) as Position, snapshot.position);
    if (last?.id === snapshot.eventId && last.metadata.hash === snapshot.eventHash) return snapshot;
    snapshot.close();
  }
  return undefined;
}

/** A running service may remove a snapshot at any time; the log has all that one of another version says. */
function openOrSkip(folder: SnapshotFolder, name: string): OpenSnapshot | undefined {
  try {
    return folder.open(name);
  } catch {
    return undefined;
  }
}
