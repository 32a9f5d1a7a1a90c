import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import { openCluster } from '../nodes/cluster.ts';
import { textResponse } from '../support/provider/scripts.ts';

const SLOW = { timeout: 120_000 };
const soon = { timeout: 20_000, interval: 20 };

// A node never continues over a history that lacks events, or whose positions mean other events than this node has read
// (docs/decisions/0059-high-water-mark.md).

/** A cluster whose node `a` has read a history with `completed` requests, and a backup of the store from before them. */
async function aCluster({ completed = 3 } = {}) {
  const cluster = await openCluster();
  const node = await cluster.inProcessNode('a');
  const account = cluster.provider.addAccount();
  account.always(textResponse());
  await node.api.importAccount(account);
  const { database } = cluster;
  await node.ask();
  await vi.waitUntil(() => completedIn(database.log) === 1, soon);
  const backup = database.backup();
  for (let count = 0; count < completed; count += 1) expect(await node.ask()).toBe(200);
  await vi.waitUntil(() => completedIn(database.log) === 1 + completed, soon);
  // The node reads its own events back from the store.
  await vi.waitUntil(async () => (await node.api.requestLog()).total === 1 + completed, soon);
  expect(await node.stop()).toMatchObject({ exitCode: 0 });
  const folder = await cluster.folderOf('a');
  const remove = (...names: string[]) => {
    for (const name of names)
      for (const suffix of ['', '-wal', '-shm']) rmSync(join(folder, name + suffix), { force: true });
  };
  return { cluster, backup, folder, remove };
}

const completedIn = (log: readonly { readonly type: string }[]): number =>
  log.filter(({ type }) => type === 'RequestCompleted').length;

const positionsIn = (folder: string): string[] => {
  using mirror = new DatabaseSync(join(folder, 'mirror.sqlite'), { readOnly: true });
  return mirror
    .prepare('SELECT position, id FROM events ORDER BY position')
    .all()
    .map((row) => `${row.position} ${row.id}`);
};

test.each([
  ['its mirror', ['mirror.mark', 'readmodels.sqlite', 'tree.sqlite'], 'mirror.sqlite'],
  ['the mark, without its mirror', ['mirror.sqlite'], 'mirror.mark'],
  [
    'the read models, without its mirror and mark',
    ['mirror.sqlite', 'mirror.mark', 'tree.sqlite'],
    'readmodels.sqlite',
  ],
  ['the tree alone', ['mirror.sqlite', 'mirror.mark', 'readmodels.sqlite'], 'tree.sqlite'],
])('refuses an older copy of the store by %s, until the loss is accepted', SLOW, async (_what, deleted, source) => {
  const { cluster, backup, folder, remove } = await aCluster();
  remove(...deleted);
  await cluster.server.swapData(backup);
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const { exitCode, stderr } = await (await cluster.launch('a')).ended;
    expect(exitCode).toBe(1);
    expect(stderr).toEqual([expect.stringMatching(new RegExp(`${source.replace('.', '\\.')} proves that it reached`))]);
    expect(stderr[0]).toMatch(/: \d+ events are missing\. .* run "svc accept-loss" on every node/);
  }
  const file = join(folder, 'export.ndjson');
  const exported = await cluster.command('a', 'export', file);
  expect({ ...exported, isThere: existsSync(file) }).toMatchObject({ exitCode: 0, isThere: true });
  const accepted = await cluster.command('a', 'accept-loss');
  expect(accepted).toMatchObject({ exitCode: 0, stderr: [] });
  const node = await cluster.inProcessNode('a');
  const { events } = await node.api.call('GET', '/api/history?type=LossAccepted');
  // Says which other loss was found, too.
  expect(events).toEqual([expect.objectContaining({ type: 'LossAccepted' })]);
  expect(await node.ask()).toBe(200);
  await vi.waitFor(async () => expect((await node.api.requestLog()).total).toBe(2), soon);
  await node.stop();
});

test('starts with a deleted mirror when the store has everything', SLOW, async () => {
  const { cluster, remove } = await aCluster();
  remove('mirror.sqlite');
  const node = await cluster.inProcessNode('a');
  expect(await node.ask()).toBe(200);
  expect(await node.stop()).toMatchObject({ exitCode: 0, stderr: [] });
});

test('a new node refuses a history from which a stream was truncated, and names it', SLOW, async () => {
  const { cluster } = await aCluster();
  const { database } = cluster;
  const stream = database.log.find(({ type }) => type === 'RequestCompleted')?.stream as string;
  database.setMetadata(stream, { $tb: 2 });
  database.scavenge();
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const { exitCode, stderr } = await (await cluster.launch('b')).ended;
    expect(exitCode).toBe(1);
    expect(stderr).toEqual([
      expect.stringMatching(/is broken at position \d+: the event of (\S+) there is revision 2 /),
    ]);
    expect(stderr[0]).toContain(stream);
  }
  expect(await cluster.command('b', 'accept-loss')).toMatchObject({ exitCode: 0, stderr: [] });
  const b = await cluster.inProcessNode('b');
  expect(await b.ask()).toBe(200);

  // The other node still counts the missing events, so its positions would mean other events than those of this one.
  const { exitCode, stderr } = await (await cluster.launch('a')).ended;
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: [expect.stringMatching(/accepted loss after which other nodes count events differently/)],
  });
  expect(await cluster.command('a', 'accept-loss')).toMatchObject({ exitCode: 0, stderr: [] });
  const a = await cluster.inProcessNode('a');
  expect([await a.ask(), await b.ask()]).toEqual([200, 200]);
  await vi.waitUntil(() => completedIn(database.log) >= 3, soon);
  for (const node of [a, b]) expect(await node.stop()).toMatchObject({ exitCode: 0 });
  const [ofA, ofB] = [positionsIn(await cluster.folderOf('a')), positionsIn(await cluster.folderOf('b'))];
  const shorter = Math.min(ofA.length, ofB.length);
  expect(ofA.slice(0, shorter)).toEqual(ofB.slice(0, shorter));
});

test('a running node names an accepted loss after which others count events differently', SLOW, async () => {
  const { cluster } = await aCluster();
  const { database } = cluster;
  const a = await cluster.inProcessNode('a');
  const stream = database.log.find(({ type }) => type === 'RequestCompleted')?.stream as string;
  database.setMetadata(stream, { $tb: 1 });
  database.scavenge();
  expect(await cluster.command('b', 'accept-loss')).toMatchObject({ exitCode: 0, stderr: [] });
  await vi.waitFor(async () => {
    const { problems } = await a.api.call('GET', '/api/status');
    expect(problems).toContainEqual(expect.objectContaining({ code: 'log_broken', subject: 'losses-main' }));
  }, soon);
  await a.stop();
});
