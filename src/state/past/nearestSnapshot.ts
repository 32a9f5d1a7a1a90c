import { createReader } from '../../eventLog/sqlite/reader.ts';
import type { Snapshot } from '../snapshots/snapshotFile.ts';
import { SnapshotFolder } from '../snapshots/snapshotFolder.ts';

/** Where the snapshots of a data folder are, and the key that authenticates them. */
export interface SnapshotPlace {
  readonly folder: string;
  /** From `snapshotKey`. */
  readonly key: Uint8Array;
}

/**
 * The newest snapshot that is authentic, of this version of the fold, and whose last event the log has; undefined when there is
 * none. Unlike at a start, an unusable one stays where it is: nothing in the folder changes.
 * @param location the log's file, as SQLite opens it
 */
export function nearestSnapshot(location: string, { folder: path, key }: SnapshotPlace): Snapshot | undefined {
  const folder = new SnapshotFolder(path, key);
  const reader = createReader(location);
  try {
    for (const name of folder.names()) {
      const snapshot = readOrSkip(folder, name);
      if (!snapshot) continue;
      const [last] = reader.storedPage((snapshot.position - 1) as Snapshot['position'], snapshot.position);
      if (last?.id === snapshot.eventId && last.metadata.hash === snapshot.eventHash) return snapshot;
    }
    return undefined;
  } finally {
    reader.close();
  }
}

/** A running service may remove a snapshot at any time; the log has all that one of another version says. */
function readOrSkip(folder: SnapshotFolder, name: string): Snapshot | undefined {
  try {
    return folder.read(name);
  } catch {
    return undefined;
  }
}
