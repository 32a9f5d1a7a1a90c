import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import { keyOf, startCheckpoints as start } from '../../../test/support/integrity/checkpointsUnderTest.ts';
import { openMemoryTree } from '../../../test/support/integrity/memoryTree.ts';
import { temporaryFolder } from '../../../test/support/management.ts';
import { openKeyChange } from '../keys/keyChange.ts';
import { leafHash } from '../merkle/hashes.ts';
import { openCheckpoint } from '../notes/checkpoint.ts';
import { parseVkey } from '../notes/noteKeys.ts';
import { continuationIn } from '../published/continuation.ts';

/** Verifies with the verifier key that the service shows. */
const open = (note: string, vkey: string | undefined) => openCheckpoint(note, [parseVkey(vkey ?? '')]);
const soon = { timeout: 10_000, interval: 5 };

test('signs what happened in each interval, and nothing while nothing happens', async () => {
  const { tree, checkpoints, folder } = start();
  expect(checkpoints.latest()).toBeUndefined();
  tree.grow(5);
  await vi.waitFor(() => expect(checkpoints.latest()?.size).toBe(5), soon);
  tree.grow(300);
  await vi.waitFor(() => expect(checkpoints.latest()?.size).toBe(305), soon);
  const { root } = await tree.root();
  const latest = checkpoints.latest();
  expect(open(latest?.note ?? '', checkpoints.vkey)).toMatchObject({ size: 305, root, extensions: [] });
  expect(checkpoints.origin).toBe(`svc/${leafHash('entry 0').toString('hex', 0, 8)}`);
  expect(readFileSync(join(folder, 'checkpoint.pub'), 'utf8')).toBe(`${checkpoints.vkey}\n`);
  await checkpoints.covering(305);
  expect(checkpoints.between(0, 1_000).map(({ size }) => size)).toEqual([5, 305]);
});

test('is the same after a restart, and its last checkpoint is there at once', async () => {
  const { folder, tree, checkpoints, stop } = start();
  tree.grow(7);
  await checkpoints.covering(7);
  const [before, vkey] = [checkpoints.latest(), checkpoints.vkey];
  await stop();
  const second = start({ folder, tree });
  expect(second.checkpoints.latest()).toEqual(before);
  expect([second.checkpoints.origin, second.checkpoints.vkey]).toEqual([before?.origin, vkey]);
  tree.grow(1);
  expect((await second.checkpoints.covering(8)).size).toBe(8);
  expect(second.checkpoints.origin).toBe(checkpoints.origin);
});

test.each([
  ['deleted', (path: string) => rmSync(path)],
  ['changed', (path: string) => writeFileSync(path, 'another key\n')],
])('writes checkpoint.pub again when it was %s, and says so', async (_what, harm) => {
  const { tree, checkpoints, folder, faults } = start();
  tree.grow(1);
  await checkpoints.covering(1);
  const path = join(folder, 'checkpoint.pub');
  harm(path);
  await vi.waitFor(() => expect(readFileSync(path, 'utf8')).toBe(`${checkpoints.vkey}\n`), soon);
  expect(faults.current).toMatchObject([{ code: 'checkpoint_pub_replaced', cause: expect.stringContaining(path) }]);
});

test('keeps checkpoint.pub as it is while the key that svc has may not sign', async () => {
  const { folder, tree, checkpoints, stop } = start();
  tree.grow(1);
  await checkpoints.covering(1);
  const before = readFileSync(join(folder, 'checkpoint.pub'), 'utf8');
  await stop();
  const second = start({ folder, tree, key: keyOf(9) });
  tree.grow(1);
  await vi.waitFor(() => expect(second.codes()).toContain('checkpoint_key_changed'), soon);
  await expect(
    vi.waitUntil(() => readFileSync(join(folder, 'checkpoint.pub'), 'utf8') !== before, { timeout: 300 }),
  ).rejects.toThrow();
});

test('signs at most one checkpoint a second on demand', async () => {
  const { tree, checkpoints } = start({ intervalMs: 3_600_000 });
  tree.grow(1);
  await checkpoints.covering(1);
  const began = performance.now();
  for (let size = 2; size < 22; size += 1) tree.grow(1);
  const covering = await Promise.all([2, 9, 21].map((position) => checkpoints.covering(position)));
  expect(covering.map(({ size }) => size)).toEqual([21, 21, 21]);
  expect(performance.now() - began).toBeGreaterThan(900);
  expect(checkpoints.between(1, 21)).toHaveLength(2);
});

test('covers the last event at the stop', async () => {
  const { folder, tree, checkpoints, stop } = start({ intervalMs: 3_600_000 });
  tree.grow(1);
  await checkpoints.covering(1);
  tree.grow(3);
  await stop();
  expect(start({ folder, tree }).checkpoints.latest()?.size).toBe(4);
});

test('signs nothing over a log that was changed or has lost events, and says so', async () => {
  const { folder, tree, checkpoints, stop } = start();
  tree.grow(10);
  await checkpoints.covering(10);
  await stop();
  for (const [count, prefix] of [
    [9, 'entry '],
    [10, 'other '],
    [12, 'entry 0'],
  ] as const) {
    const other = openMemoryTree(temporaryFolder());
    other.grow(1);
    other.grow(count - 1, prefix);
    const { checkpoints: refusing, codes, stop: end } = start({ folder, tree: other });
    await vi.waitFor(() => expect(codes()).toEqual(['checkpoint_log_changed']), soon);
    expect(refusing.refusal).toContain('signed a checkpoint of size 10');
    expect(refusing.latest()?.size).toBe(10);
    await expect(refusing.covering(11)).rejects.toThrow('No checkpoint covers this event yet');
    await end();
  }
});

test('goes on with another key once the earlier one has signed the change', async () => {
  const { folder, tree, checkpoints, stop } = start();
  tree.grow(3);
  await checkpoints.covering(3);
  const before = checkpoints.vkey;
  await stop();
  const refusing = start({ folder, tree, key: keyOf(2) });
  await vi.waitFor(() => expect(refusing.codes()).toEqual(['checkpoint_key_changed']), soon);
  expect(refusing.lines[0]).toContain('SVC_CHECKPOINT_KEY_BEFORE');
  tree.grow(1);
  await expect(refusing.checkpoints.covering(4)).rejects.toThrow('signed with');
  await refusing.stop();
  const published = temporaryFolder();
  const changed = start({
    folder,
    tree,
    key: keyOf(2),
    earlierKeys: [keyOf(7), keyOf(1)],
    places: { folder: published },
  });
  const { note } = await changed.checkpoints.covering(4);
  expect(open(note, changed.checkpoints.vkey).size).toBe(4);
  const [change] = changed.checkpoints.keyChanges();
  expect(openKeyChange(change ?? '')).toMatchObject({
    before: { vkey: before },
    after: { vkey: changed.checkpoints.vkey },
  });
  await changed.stop();
  expect(filesIn(published).map((name) => name.replace(/^.*\//, ''))).toEqual(
    ['0000000000000003-ef4a2d8c.keychange', '0000000000000003.checkpoint', '0000000000000004.checkpoint'].map((name) =>
      expect.stringMatching(new RegExp(name.replace(/-\w{8}/, '-\\w{8}'))),
    ),
  );
  // The change is known from now on.
  const later = start({ folder, tree, key: keyOf(2) });
  tree.grow(1);
  expect((await later.checkpoints.covering(5)).size).toBe(5);
});

test('begins a new origin after an accepted loss, which names the last checkpoint of the old one', async () => {
  const { folder, tree, checkpoints, stop } = start();
  tree.grow(10);
  const last = await checkpoints.covering(10);
  await stop();
  const shorter = openMemoryTree(temporaryFolder());
  shorter.grow(8);
  shorter.grow(1, 'loss ');
  const next = start({ folder, tree: shorter, losses: () => [{ position: 9, isOfKey: false }] });
  const first = await next.checkpoints.covering(9);
  expect(next.checkpoints.origin).toBe(`${checkpoints.origin}/2-${leafHash('loss 8').toString('hex', 0, 4)}`);
  expect(continuationIn(open(first.note, next.checkpoints.vkey).extensions)).toEqual({
    origin: last.origin,
    size: 10,
    root: Buffer.from(last.root, 'hex'),
  });
  shorter.grow(2);
  const { note } = await next.checkpoints.covering(11);
  expect(open(note, next.checkpoints.vkey).extensions).toEqual([]);
  // What the old origin said of events that are lost covers nothing.
  expect((await next.checkpoints.covering(7)).size).toBe(9);
  expect(next.codes()).toEqual([]);
});

test('goes on without a key that was lost, under a new origin', async () => {
  const { folder, tree, checkpoints, stop } = start();
  tree.grow(3);
  await checkpoints.covering(3);
  await stop();
  tree.grow(1, 'key loss ');
  const next = start({ folder, tree, key: keyOf(2), losses: () => [{ position: 4, isOfKey: true }] });
  const { note, origin } = await next.checkpoints.covering(4);
  expect(origin).toBe(next.checkpoints.origin);
  expect(continuationIn(open(note, next.checkpoints.vkey).extensions)).toMatchObject({
    origin: checkpoints.origin,
    size: 3,
  });
  expect(next.checkpoints.keyChanges()).toEqual([]);
});

/** Paths of the files below a folder, sorted. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();

test('says once that it cannot write, and signs again when it can', async () => {
  const { folder, tree, checkpoints, codes, lines } = start();
  tree.grow(1);
  await checkpoints.covering(1);
  const change = (sql: string) => {
    using database = new DatabaseSync(join(folder, 'checkpoints.sqlite'), { timeout: 5_000 });
    database.exec(sql);
  };
  change("CREATE TRIGGER full BEFORE INSERT ON notes BEGIN SELECT raise(ABORT, 'database or disk is full'); END");
  tree.grow(1);
  await vi.waitFor(() => expect(codes()).toEqual(['checkpoint_not_signed']), soon);
  await expect(checkpoints.covering(2)).rejects.toThrow('disk is full');
  expect(lines).toEqual([expect.stringContaining('database or disk is full. svc tries again')]);
  expect(checkpoints.latest()?.size).toBe(1);
  change('DROP TRIGGER full');
  await vi.waitFor(() => expect(codes()).toEqual([]), soon);
  expect(checkpoints.latest()?.size).toBe(2);
});

test('says once that the file of its key is missing or has another key, signs on, and says when it is back', async () => {
  const keyFile = join(temporaryFolder(), 'checkpoint.key');
  // The key of this byte is that of the stage.
  const write = (byte: number) => writeFileSync(keyFile, Buffer.alloc(32, byte).toString('base64'), { mode: 0o600 });
  write(1);
  const { tree, checkpoints, codes, faults, lines } = start({ keyFile });
  tree.grow(1);
  await checkpoints.covering(1);
  expect(codes()).toEqual([]);
  rmSync(keyFile);
  await vi.waitFor(() => expect(codes()).toEqual(['checkpoint_key_not_kept']), soon);
  tree.grow(1);
  expect((await checkpoints.covering(2)).size).toBe(2);
  write(2);
  await vi.waitFor(() => expect(faults.current[0]?.cause).toContain('has another key'), soon);
  write(1);
  await vi.waitFor(() => expect(codes()).toEqual([]), soon);
  expect(lines[0]).toContain(`${keyFile} is missing: svc goes on signing`);
  expect(lines.filter((line) => !line.startsWith('Over after'))).toHaveLength(1);
});

test('refuses a damaged file, and one of a newer svc, with what to do', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'checkpoints.sqlite');
  writeFileSync(path, 'x'.repeat(10_000));
  expect(() => start({ folder })).toThrow(/checkpoints\.sqlite is damaged.*delete it: checkpoints go on/);
  rmSync(path);
  const newer = new DatabaseSync(path);
  newer.exec('PRAGMA user_version = 2');
  newer.close();
  expect(() => start({ folder })).toThrow('created by a newer svc');
});
