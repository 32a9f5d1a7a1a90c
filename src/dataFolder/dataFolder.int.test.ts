import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
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

test('refuses a folder in which no file can be created, with the remedy in the message', () => {
  expect(() => openDataFolder('/proc')).toThrow(
    /^\/proc cannot be the data folder: no file can be created in it \([^.]+\)\. Give it to the user that runs svc, or set SVC_DATA_DIR [^.]+\.$/,
  );
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
    'contains a lock that is a link to nothing',
    async (path: string) => {
      await mkdir(path);
      await symlink(join(path, 'missing', 'lock.sqlite'), join(path, 'lock.sqlite'));
    },
    /^\S+lock\.sqlite cannot be locked: [^.]+\. Give its folder to the user that runs svc, and delete it: [^.]+\.$/,
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

describe('a folder that belongs to a node', () => {
  async function folderOfNode() {
    const temp = await tempFolder();
    onTestFinished(() => temp[Symbol.asyncDispose]());
    openDataFolder(temp.path, { nodeId: 'node-a-in-zurich' }).close();
    return temp.path;
  }

  test.each([
    ['half', (id: string) => id.slice(0, 8)],
    ['another', () => 'node-b\n'],
    ['an empty', () => ''],
    ['an unreadable', () => '\u0000\u0000'],
  ])('is refused with %s name in node-id, and its own is named', async (_what, change) => {
    const path = await folderOfNode();
    const idPath = join(path, 'node-id');
    await writeFile(idPath, change(await readFile(idPath, 'utf8')));
    expect(() => openDataFolder(path)).toThrow(
      expect.objectContaining({
        code: 'CANNOT_USE_DATA_FOLDER',
        message: expect.stringMatching(
          /node-id says ".*", but this folder belongs to the node node-a-in-zurich \(node\.mark\)\. Delete node-id, and svc writes it again; .+\.$/s,
        ),
      }),
    );
    await rm(idPath);
    const folder = openDataFolder(path);
    expect(folder).toMatchObject({ node: 'node-a-in-zurich' });
    folder.close();
    expect(await readFile(idPath, 'utf8')).toBe('node-a-in-zurich\n');
  });

  test.each(['missing', 'damaged'])('keeps its name when node.mark is %s, and makes that again', async (what) => {
    const path = await folderOfNode();
    const markPath = join(path, 'node.mark');
    const mark = await readFile(markPath, 'utf8');
    await (what === 'missing' ? rm(markPath) : writeFile(markPath, mark.slice(0, 8)));
    const folder = openDataFolder(path);
    expect(folder.node).toBe('node-a-in-zurich');
    folder.close();
    expect(await readFile(markPath, 'utf8')).toBe(mark);
  });

  test('takes another name from SVC_NODE_ID once, and knows the former one', async () => {
    const path = await folderOfNode();
    const renamed = openDataFolder(path, { nodeId: 'node-b' });
    expect(renamed).toMatchObject({ node: 'node-b', formerNode: 'node-a-in-zurich' });
    renamed.close();
    for (const nodeId of ['node-b', undefined]) {
      const folder = openDataFolder(path, { nodeId });
      expect(folder.node).toBe('node-b');
      expect(folder).not.toHaveProperty('formerNode');
      folder.close();
    }
  });
});
