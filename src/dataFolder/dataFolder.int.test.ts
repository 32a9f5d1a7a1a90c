import { existsSync } from 'node:fs';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startChild } from '../../test/contract/children/child.ts';
import { tempFolder } from '../../test/contract/tempFolder.ts';
import { openDataFolder } from './dataFolder.ts';

test('creates a data folder that only its owner can access', async () => {
  await using temp = await tempFolder();
  const folder = openDataFolder(join(temp.path, 'svc', 'data'));
  expect((await stat(folder.path)).mode & 0o777).toBe(0o700);
  expect(folder.file('log.sqlite')).toBe(join(folder.path, 'log.sqlite'));
  folder.close();
});

test('refuses a second process in one line until the first has ended', async () => {
  await using temp = await tempFolder();
  await using child = startChild('holdDataFolder.ts', temp.path);
  expect(await child.take(1)).toEqual(['locked']);
  expect(() => openDataFolder(temp.path)).toThrow(
    expect.objectContaining({
      code: 'DATA_FOLDER_IN_USE',
      message: `${temp.path} is in use by another svc process. Stop it, or set SVC_DATA_DIR.`,
    }),
  );
  await child.kill();
  openDataFolder(temp.path).close();
});

test.each([
  [
    'is a file',
    (path: string) => writeFile(path, ''),
    /^\S+data cannot be the data folder: .+\. Set SVC_DATA_DIR to a folder .+\.$/,
  ],
  [
    'contains a lock that cannot be opened',
    (path: string) => mkdir(join(path, 'lock.sqlite'), { recursive: true }),
    /^\S+lock\.sqlite cannot be locked: .+\. Give its folder to the user that runs svc, and delete it: .+\.$/,
  ],
  [
    'has a folder where the name of its node should be',
    (path: string) => mkdir(join(path, 'node-id'), { recursive: true }),
    /^\S+node-id, which has the name of this node, cannot be read: EISDIR.+\. It is a folder: move it away, .+\.$/,
  ],
])('refuses a path that %s, with the remedy in the message', async (_what, prepare, message) => {
  await using temp = await tempFolder();
  const path = join(temp.path, 'data');
  await prepare(path);
  expect(() => openDataFolder(path)).toThrow(
    expect.objectContaining({
      code: 'CANNOT_USE_DATA_FOLDER',
      message: expect.stringMatching(message),
    }),
  );
});

test.runIf(existsSync('/proc/self'))('refuses a path below /proc without hanging', () => {
  expect(() => openDataFolder('/proc/svc/data')).toThrow(expect.objectContaining({ code: 'CANNOT_USE_DATA_FOLDER' }));
});

test('refuses to lock a folder twice in the same process', async () => {
  await using temp = await tempFolder();
  const folder = openDataFolder(temp.path);
  expect(() => openDataFolder(temp.path)).toThrow(expect.objectContaining({ code: 'DATA_FOLDER_IN_USE' }));
  folder.close();
  openDataFolder(temp.path).close();
});

test('keeps the node id and gives each start a boot id that sorts after the previous one', async () => {
  await using temp = await tempFolder();
  const first = openDataFolder(temp.path);
  first.close();
  const second = openDataFolder(temp.path);
  second.close();
  expect(first.node).toMatch(/^[a-z0-9]{8}$/);
  expect(second.node).toBe(first.node);
  expect(second.boot).toMatch(/^[a-z0-9]{13}$/);
  expect(second.boot.slice(0, 9) >= first.boot.slice(0, 9)).toBe(true);
  expect(second.boot).not.toBe(first.boot);
});

test('stores a configured node id', async () => {
  await using temp = await tempFolder();
  openDataFolder(temp.path, { nodeId: 'eu-west-1' }).close();
  const folder = openDataFolder(temp.path);
  expect(folder.node).toBe('eu-west-1');
  folder.close();
});

test.each(['a.b', 'a_b', '-a', 'A', ''])('refuses the node id "%s" and releases the lock', async (nodeId) => {
  await using temp = await tempFolder();
  expect(() => openDataFolder(temp.path, { nodeId })).toThrow(expect.objectContaining({ code: 'INVALID_NODE_ID' }));
  openDataFolder(temp.path).close();
});

test('refuses a damaged node-id file instead of replacing it', async () => {
  await using temp = await tempFolder();
  await mkdir(temp.path, { recursive: true });
  await writeFile(join(temp.path, 'node-id'), 'not an id\n');
  expect(() => openDataFolder(temp.path)).toThrow(expect.objectContaining({ code: 'INVALID_NODE_ID' }));
});
