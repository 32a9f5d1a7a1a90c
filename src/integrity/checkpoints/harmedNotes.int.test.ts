import {
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import {
  type CheckpointsSetup,
  startCheckpoints as start,
} from '../../../test/support/integrity/checkpointsUnderTest.ts';
import { openMemoryTree } from '../../../test/support/integrity/memoryTree.ts';
import { temporaryFolder } from '../../../test/support/management.ts';
import { waitOptions } from '../../../test/support/waitOptions.ts';

/** Checkpoints of sizes 5 and 9, with their file. */
async function someCheckpoints(setup: CheckpointsSetup = {}) {
  const started = start(setup);
  for (const [grown, size] of [
    [5, 5],
    [4, 9],
  ] as const) {
    started.tree.grow(grown);
    await started.checkpoints.covering(size);
  }
  return { ...started, path: join(started.folder, 'checkpoints.sqlite') };
}

/** What a kill at this moment would leave. */
function sizesIn(path: string): number[] {
  using database = new DatabaseSync(path, { readOnly: true });
  return database
    .prepare("SELECT size FROM notes WHERE kind = 'checkpoint' ORDER BY seq")
    .all()
    .map((row) => row.size as number);
}

function removeWithCompanions(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
}

test.each([
  ['deleted', (path: string) => rmSync(path)],
  ['moved', (path: string) => renameSync(path, `${path}.moved`)],
  ['deleted with its write-ahead log', removeWithCompanions],
] as const)('writes all checkpoints again when their file is %s, and says so once', async (_, harm) => {
  const { path, tree, checkpoints, codes, lines } = await someCheckpoints();
  harm(path);
  await vi.waitUntil(() => codes().includes('checkpoints_file_harmed'), waitOptions);
  expect(sizesIn(path)).toEqual([5, 9]);
  tree.grow(1);
  await checkpoints.covering(10);
  expect(sizesIn(path)).toEqual([5, 9, 10]);
  expect(lines).toEqual([expect.stringContaining(`${path} was deleted or moved while svc runs.`)]);
});

test('puts a file aside that replaces the one of the checkpoints', async () => {
  const { path, codes, checkpoints, lines } = await someCheckpoints();
  writeFileSync(`${path}.other`, 'another file');
  renameSync(`${path}.other`, path);
  await vi.waitUntil(() => codes().includes('checkpoints_file_harmed'), waitOptions);
  expect(sizesIn(path)).toEqual([5, 9]);
  expect(readFileSync(`${path}.replaced`, 'utf8')).toBe('another file');
  expect(checkpoints.latest()?.size).toBe(9);
  expect(lines).toEqual([expect.stringContaining('the file that was in its place is now checkpoints.sqlite.replaced')]);
});

test.each([
  ['deleted', (journal: string) => rmSync(journal)],
  ['cut', (journal: string) => truncateSync(journal)],
] as const)('has all checkpoints in one file, also while its write-ahead log is %s', async (_, harm) => {
  const { path, folder, tree, checkpoints } = await someCheckpoints();
  harm(`${path}-wal`);
  tree.grow(1);
  await checkpoints.covering(10);
  const copy = join(folder, 'copy.sqlite');
  copyFileSync(path, copy);
  expect(sizesIn(copy)).toEqual([5, 9, 10]);
});

test('signs nothing over a file that was cut, and goes on at once with a copy of it', async () => {
  const { path, tree, checkpoints, codes, lines } = await someCheckpoints();
  copyFileSync(path, `${path}.copy`);
  truncateSync(path, statSync(path).size / 2);
  await vi.waitUntil(() => codes().includes('checkpoints_file_harmed'), waitOptions);
  tree.grow(1);
  await expect(checkpoints.covering(10)).rejects.toThrow('was cut or cannot be opened');
  expect(lines).toEqual([
    expect.stringMatching(/was cut while svc runs.* Replace the file by a copy from a backup, or delete it/),
  ]);
  renameSync(`${path}.copy`, path);
  await vi.waitUntil(() => codes().length === 0, waitOptions);
  expect((await checkpoints.covering(10)).size).toBe(10);
  expect(sizesIn(path)).toEqual([5, 9, 10]);
});

test('names a damaged file that replaces a cut one, and goes on once it is removed', async () => {
  const { path, tree, checkpoints, codes, faults } = await someCheckpoints();
  truncateSync(path, 4_096);
  await vi.waitUntil(() => codes().includes('checkpoints_file_harmed'), waitOptions);
  writeFileSync(`${path}.damaged`, 'no database '.repeat(2_000));
  renameSync(`${path}.damaged`, path);
  await vi.waitUntil(() => faults.current[0]?.cause.includes('is damaged'), waitOptions);
  tree.grow(1);
  expect(checkpoints.latest()).toBeUndefined();
  await expect(checkpoints.covering(10)).rejects.toThrow('was cut or cannot be opened');
  expect(faults.current.map(({ cause }) => cause)).toEqual([
    expect.stringContaining('is damaged, or not a file of svc'),
  ]);
  rmSync(path);
  await vi.waitUntil(() => codes().includes('checkpoints_missing'), waitOptions);
  expect((await checkpoints.covering(10)).size).toBe(10);
});

test('goes on without a file that was cut and deleted, and names what is lost', async () => {
  const { path, tree, checkpoints, codes } = await someCheckpoints();
  truncateSync(path);
  await vi.waitUntil(() => codes().includes('checkpoints_file_harmed'), waitOptions);
  rmSync(path);
  await vi.waitUntil(() => codes().includes('checkpoints_missing'), waitOptions);
  expect(codes()).toEqual(['checkpoints_missing']);
  tree.grow(1);
  expect((await checkpoints.covering(10)).size).toBe(10);
});

test.each([
  ['is missing', 'has none', () => undefined],
  ['is an older copy', 'ends with number 1', (path: string) => renameSync(`${path}.older`, path)],
] as const)('names checkpoints that are missing at a start because the file %s', async (_, found, replace) => {
  const { folder, tree, checkpoints, stop } = start();
  const path = join(folder, 'checkpoints.sqlite');
  tree.grow(5);
  await checkpoints.covering(5);
  copyFileSync(path, `${path}.older`);
  tree.grow(4);
  await checkpoints.covering(9);
  await stop();
  rmSync(path);
  replace(path);
  const next = start({ folder, tree });
  expect(next.codes()).toEqual(['checkpoints_missing']);
  expect(next.lines).toEqual([expect.stringContaining(`the last one was number 2, of size 9, but the file ${found}`)]);
  tree.grow(1);
  expect((await next.checkpoints.covering(10)).size).toBe(10);
  await next.stop();
  expect(start({ folder, tree }).codes()).toEqual([]);
});

test('signs nothing over another log, also when the file of the checkpoints is missing', async () => {
  const { folder, path, stop } = await someCheckpoints();
  await stop();
  removeWithCompanions(path);
  const other = openMemoryTree(temporaryFolder());
  other.grow(1);
  other.grow(9, 'other ');
  const next = start({ folder, tree: other });
  await vi.waitUntil(() => next.codes().includes('checkpoint_log_changed'), waitOptions);
  expect(next.checkpoints.latest()).toBeUndefined();
});

test('leaves nothing beside the file after it was written again', async () => {
  const { path, codes, stop } = await someCheckpoints();
  rmSync(path);
  await vi.waitUntil(() => codes().includes('checkpoints_file_harmed'), waitOptions);
  await stop();
  expect([`${path}.new`, `${path}.replaced`, `${path}-wal`].filter((each) => existsSync(each))).toEqual([]);
});
