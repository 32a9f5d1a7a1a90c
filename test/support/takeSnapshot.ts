import { join } from 'node:path';
import { expect } from 'vitest';
import { makeSnapshot } from '../../src/state/snapshots/makeSnapshot.ts';
import { SnapshotFolder } from '../../src/state/snapshots/snapshotFolder.ts';

/** Writes a snapshot in a data folder, as a node does every 100,000 events. @returns its path */
export function takeSnapshot(dataFolder: string, logName = 'log.sqlite'): string {
  const folder = new SnapshotFolder(join(dataFolder, 'snapshots'));
  const basis = folder.names()[0];
  const task = { logPath: join(dataFolder, logName), folder: folder.path, basis, verifies: false, minEvents: 1 };
  expect(makeSnapshot(task)).toMatchObject({ kind: 'done' });
  return join(folder.path, folder.names()[0] as string);
}
