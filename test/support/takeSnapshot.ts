import { join } from 'node:path';
import { expect } from 'vitest';
import { makeSnapshot } from '../../src/state/snapshots/makeSnapshot.ts';
import { SnapshotFolder, snapshotKey } from '../../src/state/snapshots/snapshotFolder.ts';
import { deriveKey, keyFromFile, parseMasterKey } from '../../src/vault/masterKey.ts';

export interface TakeSnapshotOptions {
  readonly logName?: string;
  /** `SVC_ENCRYPTION_KEY` of the node; default: the key file of its folder. */
  readonly masterKey?: string;
}

/** The snapshots of a data folder, with the key of its vault. */
export function snapshotsOf(dataFolder: string, masterKey?: string): SnapshotFolder {
  const master =
    masterKey === undefined
      ? keyFromFile(join(dataFolder, 'master.key'), { mayCreate: false })
      : parseMasterKey(masterKey, 'test');
  return new SnapshotFolder(
    join(dataFolder, 'snapshots'),
    snapshotKey({ deriveKey: (purpose) => deriveKey(master, purpose) }),
  );
}

/** Writes a snapshot in a data folder, as a node does every 100,000 events. @returns its path */
export function takeSnapshot(
  dataFolder: string,
  { logName = 'log.sqlite', masterKey }: TakeSnapshotOptions = {},
): string {
  const folder = snapshotsOf(dataFolder, masterKey);
  const { path, key } = folder;
  const basis = folder.names()[0];
  const task = { logPath: join(dataFolder, logName), folder: path, key, basis, verifies: false, minEvents: 1 };
  expect(makeSnapshot(task)).toMatchObject({ kind: 'done' });
  return join(path, folder.names()[0] as string);
}
