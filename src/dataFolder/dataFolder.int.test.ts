import { existsSync } from 'node:fs';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startChild } from '../../test/contract/children/child.ts';
import { tempFolder } from '../../test/contract/tempFolder.ts';
import { openDataFolder } from './dataFolder.ts';

test('a data folder is made for its owner only', async () => {
  await using temp = await tempFolder();
  const folder = openDataFolder(join(temp.path, 'svc', 'data'));
  expect((await stat(folder.path)).mode & 0o777).toBe(0o700);
  expect(folder.file('log.sqlite')).toBe(join(folder.path, 'log.sqlite'));
  folder.close();
});

test('a second process is refused in one line, and let in once the first was killed', async () => {
  await using temp = await tempFolder();
  await using child = startChild('holdDataFolder.ts', temp.path);
  expect((await child.lines.next()).value).toBe('held');
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
  ['is a file', (path: string) => writeFile(path, '')],
  ['holds what cannot be opened', (path: string) => mkdir(join(path, 'lock.sqlite'), { recursive: true })],
])('a folder that %s is refused in one line that says what to do', async (_what, prepare) => {
  await using temp = await tempFolder();
  const path = join(temp.path, 'data');
  await prepare(path);
  expect(() => openDataFolder(path)).toThrow(
    expect.objectContaining({
      code: 'CANNOT_USE_DATA_FOLDER',
      message: expect.stringMatching(/^\S+data cannot be the data folder: .+\. Set SVC_DATA_DIR to a folder .+\.$/),
    }),
  );
});

test.runIf(existsSync('/proc/self'))('a folder where nobody can make one is refused, too, and at once', () => {
  expect(() => openDataFolder('/proc/svc/data')).toThrow(expect.objectContaining({ code: 'CANNOT_USE_DATA_FOLDER' }));
});

test('the same process cannot take a folder twice either', async () => {
  await using temp = await tempFolder();
  const folder = openDataFolder(temp.path);
  expect(() => openDataFolder(temp.path)).toThrow(expect.objectContaining({ code: 'DATA_FOLDER_IN_USE' }));
  folder.close();
  openDataFolder(temp.path).close();
});

test('the node keeps its id, every start has its own that sorts behind the one before', async () => {
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

test('a given node id is used and kept', async () => {
  await using temp = await tempFolder();
  openDataFolder(temp.path, { nodeId: 'eu-west-1' }).close();
  const folder = openDataFolder(temp.path);
  expect(folder.node).toBe('eu-west-1');
  folder.close();
});

test.each(['a.b', 'a_b', '-a', 'A', ''])('the node id "%s" is refused, and the folder stays free', async (nodeId) => {
  await using temp = await tempFolder();
  expect(() => openDataFolder(temp.path, { nodeId })).toThrow(expect.objectContaining({ code: 'INVALID_NODE_ID' }));
  openDataFolder(temp.path).close();
});

test('a node id that somebody broke in its file is refused and not replaced', async () => {
  await using temp = await tempFolder();
  await mkdir(temp.path, { recursive: true });
  await writeFile(join(temp.path, 'node-id'), 'not an id\n');
  expect(() => openDataFolder(temp.path)).toThrow(expect.objectContaining({ code: 'INVALID_NODE_ID' }));
});
