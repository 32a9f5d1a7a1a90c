import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdirSync, renameSync, rmdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { someEvents } from '../../../test/contract/events.ts';
import { rootOfLog, rowsOf } from '../../../test/support/integrity/rootOfLog.ts';
import { temporaryFolder } from '../../../test/support/management.ts';
import { LOSSES_STREAM, LossAccepted } from '../../domain/losses/events.ts';
import { NO_STREAM } from '../../eventLog/eventLog.ts';
import { createSqliteEventLog } from '../../eventLog/sqlite/sqliteEventLog.ts';
import { leafEntryOf } from '../leaf/leafEntry.ts';
import { leafHash } from '../merkle/hashes.ts';
import { ProofError, verifyConsistency, verifyInclusion } from '../merkle/proofs.ts';
import { decodeBundle } from '../tiles/entryBundle.ts';
import { keepTree } from './keepTree.ts';

const soon = { timeout: 15_000, interval: 5 };

/** A folder with a log of so many events, and what a test does with it. */
async function aLog(events: number) {
  const folder = temporaryFolder();
  const logPath = join(folder, 'log.sqlite');
  const treePath = join(folder, 'tree.sqlite');
  const log = await createSqliteEventLog({ path: logPath, node: 'test' });
  onTestFinished(() => log.close());
  const append = async (count: number) => {
    const outcome = await log.append(`firewall-${randomUUID()}`, NO_STREAM, someEvents(count));
    if (outcome.kind !== 'committed') throw new Error('not appended');
    return outcome.position;
  };
  if (events > 0) await append(events);
  return {
    folder,
    logPath,
    treePath,
    log,
    append,
    change: (path: string, sql: string) => {
      using database = new DatabaseSync(path, { timeout: 5_000 });
      database.exec(sql);
    },
  };
}

function open({ folder, logPath }: { readonly folder: string; readonly logPath: string }) {
  const remade: string[] = [];
  const breaks: string[] = [];
  const failures: string[] = [];
  const caughtUp = vi.fn();
  const tree = keepTree({
    folder,
    logPath,
    gatherMs: 5,
    onRemake: (reason) => remade.push(reason),
    onBreak: ({ position, reason }) => breaks.push(`${position} ${reason}`),
    onCaughtUp(size, failure) {
      caughtUp(size);
      if (failure !== undefined) failures.push(failure);
    },
  });
  onTestFinished(() => tree.close());
  return { ...tree, tree, remade, breaks, failures, caughtUp };
}

/** Makes the tree of a log and closes it. */
async function make(log: { readonly folder: string; readonly logPath: string }, size: number): Promise<void> {
  const { tree } = open(log);
  expect(await tree.reached(size, 10_000)).toBe(size);
  await tree.close();
}

test('has a leaf for each event, and proves each at any size', async () => {
  const log = await aLog(700);
  const { tree } = open(log);
  expect(await tree.reached(700, 10_000)).toBe(700);
  expect(tree.size).toBe(700);
  const rows = rowsOf(log.logPath);
  const { root } = await tree.root();
  expect(root).toEqual(rootOfLog(log.logPath));
  for (const [index, size] of [
    [0, 1],
    [255, 700],
    [699, 700],
  ] as const) {
    const entry = (await tree.entry(index)) as Buffer;
    expect(entry.toString()).toBe(leafEntryOf(rows[index] as (typeof rows)[number]));
    const of = await tree.root(size);
    expect(of).toEqual({ size, root: rootOfLog(log.logPath, size) });
    verifyInclusion(index, size, leafHash(entry), await tree.inclusionProof(index, size), of.root);
  }
  const { root: old } = await tree.root(300);
  verifyConsistency(300, old, 700, root, await tree.consistencyProof(300, 700));
  const bundle = (await tree.tile({ level: 'entries', index: 2, width: 188 })) as Buffer;
  expect(decodeBundle(bundle)).toHaveLength(188);
  expect(await tree.tile({ level: 1, index: 0, width: 2 })).toHaveLength(64);
});

test('refuses what is beyond its size', async () => {
  const { tree } = open(await aLog(3));
  await tree.reached(3, 10_000);
  await expect(tree.root(4)).rejects.toThrow(ProofError);
  await expect(tree.inclusionProof(3, 3)).rejects.toThrow(ProofError);
  expect(await tree.entry(3)).toBeUndefined();
  expect(await tree.tile({ level: 0, index: 0, width: 4 })).toBeUndefined();
  expect(await tree.reached(4, 20)).toBe(3);
});

test('follows the log once it is started, and continues after a restart', async () => {
  const log = await aLog(10);
  const first = open(log);
  first.tree.notify(10);
  expect(await first.tree.root()).toMatchObject({ size: 0 });
  first.tree.start();
  await vi.waitFor(() => expect(first.tree.size).toBe(10), soon);
  first.tree.notify(await log.append(5));
  await vi.waitFor(() => expect(first.tree.size).toBe(15), soon);
  await first.tree.close();
  await log.append(300);
  const second = open(log);
  expect(await second.tree.root()).toMatchObject({ size: 15 });
  second.tree.notify(315);
  second.tree.start();
  await vi.waitFor(() => expect(second.tree.size).toBe(315), soon);
  expect((await second.tree.root()).root).toEqual(rootOfLog(log.logPath));
  expect([...first.remade, ...second.remade, ...second.failures]).toEqual([]);
});

test.each([
  ['is no database', (path: string) => writeFileSync(path, 'x'.repeat(20_000)), 'damaged'],
  ['has another leaf hash at its edge', flip('tiles', 'level = 0 AND tile = 2', 'hashes'), 'damaged'],
  ['has another hash at a higher edge', flip('tiles', 'level = 1 AND tile = 0', 'hashes'), 'damaged'],
  ['has another entry at its edge', flip('recent', 'true', 'entries'), 'damaged'],
  ['lacks a tile below its edge', sql('DELETE FROM tiles WHERE level = 0 AND tile = 1'), 'damaged'],
  ['has a bundle that cannot be read', sql("UPDATE bundles SET entries = x'00' WHERE bundle = 0"), 'damaged'],
  ['lacks its tables', sql('DROP TABLE tiles; DROP TABLE recent'), 'damaged'],
])('a tree that %s is made again, once', async (_what, harm, reason) => {
  const log = await aLog(600);
  await make(log, 600);
  harm(log.treePath);
  const { tree, remade } = open(log);
  expect(await tree.reached(600, 10_000)).toBe(600);
  expect((await tree.root()).root).toEqual(rootOfLog(log.logPath));
  expect(remade).toEqual([reason]);
  await tree.close();
  const next = open(log);
  expect(await next.tree.root()).toMatchObject({ size: 600 });
  expect(next.remade).toEqual([]);
});

test('a tree that fits no more because an event was altered is made again, and not called damaged', async () => {
  const log = await aLog(300);
  await make(log, 300);
  using database = new DatabaseSync(log.logPath);
  database.exec("UPDATE events SET data = json_set(data, '$.altered', 1) WHERE position = 290");
  const { tree, remade } = open(log);
  expect(await tree.reached(300, 10_000)).toBe(300);
  expect(remade).toEqual(['altered log']);
});

test('the tree of another log is made again, also a longer one', async () => {
  const log = await aLog(20);
  const other = await aLog(40);
  await make(other, 40);
  renameSync(other.treePath, log.treePath);
  const { tree, remade } = open(log);
  expect(await tree.reached(20, 10_000)).toBe(20);
  expect((await tree.root()).root).toEqual(rootOfLog(log.logPath));
  expect(remade).toEqual(['another log']);
});

const removed = (path: string, suffixes: readonly string[]) => {
  for (const suffix of suffixes) rmSync(`${path}${suffix}`, { force: true });
};
const replaced = (path: string) => {
  copyFileSync(path, `${path}.copy`);
  renameSync(`${path}.copy`, path);
};
test.each([
  ['deleted', (path: string) => removed(path, ['', '-wal', '-shm']), 'deleted'],
  ['replaced', replaced, 'deleted'],
  ['cut', (path: string) => truncateSync(path, 4_096), 'damaged'],
  ['without its write-ahead log', (path: string) => removed(path, ['-wal']), 'deleted'],
  ['cut in its write-ahead log', (path: string) => truncateSync(`${path}-wal`, 5_000), 'damaged'],
])('a tree that is %s while it is open is made again at once', async (_what, harm, reason) => {
  const log = await aLog(600);
  const { tree, remade } = open(log);
  tree.notify(600);
  tree.start();
  await vi.waitFor(() => expect(tree.size).toBe(600), soon);
  harm(log.treePath);
  await vi.waitFor(() => expect(remade).toEqual([reason]), soon);
  await vi.waitFor(() => expect(tree.size).toBe(600), soon);
  tree.notify(await log.append(1));
  await vi.waitFor(() => expect(tree.size).toBe(601), soon);
  await tree.close();
  expect((await open(log).tree.root()).root).toEqual(rootOfLog(log.logPath));
  expect(remade).toHaveLength(1);
});

test('a tree that cannot be made again is made as soon as it can be', async () => {
  const log = await aLog(20);
  const { tree, remade, failures } = open(log);
  tree.notify(20);
  tree.start();
  await vi.waitFor(() => expect(tree.size).toBe(20), soon);
  removed(log.treePath, ['', '-wal', '-shm']);
  mkdirSync(log.treePath);
  await vi.waitFor(() => expect(failures.length).toBeGreaterThan(0), soon);
  expect(failures[0]).toContain('it is a folder');
  await expect(tree.reached(20, 10)).rejects.toThrow('it is a folder');
  rmdirSync(log.treePath);
  expect(await tree.reached(20, 10_000)).toBe(20);
  expect((await tree.root()).root).toEqual(rootOfLog(log.logPath));
  expect(remade).toEqual(['deleted']);
});

test('ends before missing events, and has a leaf for each of them once their loss is accepted', async () => {
  const log = await aLog(30);
  log.change(log.logPath, 'DELETE FROM events WHERE position IN (11, 12)');
  const { tree, breaks } = open(log);
  tree.notify(30);
  tree.start();
  await vi.waitFor(() => expect(breaks).toEqual(['13 follows position 10']), soon);
  expect(await tree.reached(30, 50)).toBe(10);
  expect(breaks).toHaveLength(1);
  const { type, data } = LossAccepted({
    of: 'log',
    known: { position: 30, hash: null, time: null },
    found: { position: 30, hash: null, time: null },
    lost: null,
  } as Parameters<typeof LossAccepted>[0]);
  const [event] = someEvents(1);
  await log.log.append(LOSSES_STREAM, NO_STREAM, [{ ...event, type, data } as NonNullable<typeof event>]);
  expect(await tree.reached(31, 10_000)).toBe(31);
  expect(String(await tree.entry(10))).toBe('{"missing":true,"position":11}');
  expect(String(await tree.entry(11))).toBe('{"missing":true,"position":12}');
  expect(JSON.parse(String(await tree.entry(12)))).toMatchObject({ position: 13 });
});

test('stays as it is while the log lacks events that it has', async () => {
  const log = await aLog(30);
  await make(log, 30);
  log.change(log.logPath, 'DELETE FROM events WHERE position > 20');
  const { tree, failures, remade } = open(log);
  tree.notify(20);
  tree.start();
  await vi.waitFor(() => expect(failures[0]).toContain('ends at position 20'), soon);
  expect(failures[0]).toContain('proves that it reached position 30');
  expect(await tree.root()).toMatchObject({ size: 30 });
  expect(remade).toEqual([]);
});

test('says that its file cannot be written, and goes on when it can', async () => {
  const log = await aLog(5);
  // A folder in its place.
  mkdirSync(log.treePath);
  const { tree, failures, caughtUp } = open(log);
  tree.notify(5);
  tree.start();
  await vi.waitFor(() => expect(failures).not.toEqual([]), soon);
  rmSync(log.treePath, { recursive: true });
  tree.notify(5);
  await vi.waitFor(() => expect(caughtUp).toHaveBeenLastCalledWith(5), soon);
  expect((await tree.root()).root).toEqual(rootOfLog(log.logPath));
});

/** Changes the last byte of a blob. */
function flip(table: string, where: string, column: string) {
  return (path: string) => {
    using database = new DatabaseSync(path);
    const row = database.prepare(`SELECT ${column} AS bytes FROM ${table} WHERE ${where}`).get();
    const bytes = Buffer.from(row?.bytes as Uint8Array);
    bytes[bytes.length - 3] = (bytes.at(-3) as number) ^ 1;
    database.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${where}`).run(bytes);
  };
}

function sql(text: string) {
  return (path: string) => {
    using database = new DatabaseSync(path);
    database.exec(text);
  };
}
