import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Checkpoints } from '../fold/checkpoints.ts';
import type { HotState } from '../fold/hotState.ts';
import { OpenFile } from './openFile.ts';
import { encodeSnapshot, type Snapshot, SnapshotBytes, type SnapshotMark } from './snapshotBytes.ts';

/** A snapshot whose parts are read when they are asked for, until it is closed. */
export interface OpenSnapshot extends SnapshotMark {
  readonly checkpoints: Checkpoints;
  /** The state at its end; undefined when that cannot be read, or was changed. Belongs to the caller. */
  state(): HotState | undefined;
  close(): void;
}

/**
 * Writes a snapshot atomically, also across a power cut, readable by its owner only.
 * @param key from `snapshotKey`
 * @returns the size in bytes
 */
export function writeSnapshot(path: string, key: Uint8Array, snapshot: Snapshot): number {
  const parts = encodeSnapshot(snapshot, key);
  const draft = openSync(`${path}.new`, 'w', 0o600);
  try {
    for (const bytes of parts) {
      for (let written = 0; written < bytes.length; ) written += writeSync(draft, bytes, written);
    }
    fsyncSync(draft);
  } finally {
    closeSync(draft);
  }
  renameSync(`${path}.new`, path);
  syncFolder(dirname(path));
  return parts.reduce((sum, { length }) => sum + length, 0);
}

/**
 * Reads a snapshot and verifies all of it.
 * @throws UnusableSnapshot when this installation did not write it as it is, or wrote it by another version of the fold; an
 *   I/O error when it cannot be read
 */
export function readSnapshot(path: string, key: Uint8Array): Snapshot {
  const file = new OpenFile(path);
  try {
    return new SnapshotBytes(file, key).load();
  } finally {
    file.close();
  }
}

/**
 * Opens a snapshot for what is needed of it: a part is read and verified when it is asked for.
 * @throws as `readSnapshot`
 */
export function openSnapshot(path: string, key: Uint8Array): OpenSnapshot {
  const file = new OpenFile(path);
  try {
    const snapshot = new SnapshotBytes(file, key);
    const { mark } = snapshot;
    return { ...mark, checkpoints: snapshot.checkpoints(), state: () => snapshot.state(), close: () => file.close() };
  } catch (error) {
    file.close();
    throw error;
  }
}

/** Makes the rename durable. */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
