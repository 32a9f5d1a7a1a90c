import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { position } from '../../src/domain/core/brands.ts';
import { openForReading } from '../../src/eventLog/sqlite/database.ts';
import { foldFile } from '../../src/state/pages/foldFile.ts';
import { canonicalText } from '../../src/state/snapshots/canonicalText.ts';
import { firstFold } from '../../src/state/snapshots/sealedFold.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { type Cluster, type ClusterNode, openCluster } from './cluster.ts';
import { dayAgo, openBeside, requestAt, writeRequests } from './oldRequests.ts';

const soon = { timeout: 60_000, interval: 100 };
const KEY = 'ab'.repeat(32);
const env = { SVC_CHECKPOINT_KEY: KEY };

async function jobOf(node: ClusterNode, path: string, body?: object) {
  const { id } = await node.api.call('POST', path, body);
  await vi.waitUntil(async () => (await node.api.call('GET', `/api/jobs/${id}`)).state !== 'running', soon);
  return node.api.call('GET', `/api/jobs/${id}`);
}

/** Waits until all nodes have the tree over all events. @returns its size and root */
async function expectSameRoot(
  cluster: Cluster,
  nodes: readonly ClusterNode[],
): Promise<{ size: number; root: string }> {
  return vi.waitFor(async () => {
    const head = await headOf(cluster, nodes[0] as ClusterNode);
    const [first, ...others] = await Promise.all(nodes.map(({ api }) => api.call('GET', '/api/integrity')));
    expect(first.tree_size).toBeGreaterThanOrEqual(head);
    for (const other of others) expect([other.tree_size, other.root]).toEqual([first.tree_size, first.root]);
    return { size: first.tree_size, root: first.root };
  }, soon);
}

/** The fold of a node's mirror at a position. */
async function foldAt(cluster: Cluster, node: ClusterNode, at: number): Promise<string> {
  const path = join(await cluster.folderOf(node.name), 'mirror.sqlite');
  const fold = firstFold(path);
  await foldFile(fold, path, position(at));
  return canonicalText({ state: fold.state.data(), stretches: fold.checkpoints.stretches });
}

async function headOf(cluster: Cluster, { name }: ClusterNode): Promise<number> {
  using database = openForReading(join(await cluster.folderOf(name), 'mirror.sqlite'));
  return database.prepare('SELECT max(position) AS head FROM events').get()?.head as number;
}

async function requestRows(cluster: Cluster, { name }: ClusterNode, day: string): Promise<number> {
  using database = openForReading(join(await cluster.folderOf(name), 'mirror.sqlite'));
  const count = database.prepare('SELECT count(*) AS rows FROM events WHERE stream LIKE ?');
  return count.get(`requests-%_${day.replaceAll('-', '')}`)?.rows as number;
}

test('archives days on every node, and a node that joins after a scavenge has the same positions, fold and root', {
  timeout: 240_000,
}, async () => {
  const cluster = await openCluster();
  const beside = await openBeside(cluster.server.url);
  for (const days of [5, 4, 3]) await writeRequests(beside, days, 150);
  const [a, b] = await Promise.all([cluster.inProcessNode('a', env), cluster.inProcessNode('b', env)]);
  const account = cluster.provider.addAccount();
  account.always(textResponse());
  await a.api.importAccount(account);
  await vi.waitUntil(async () => (await b.ask()) === 200, soon);
  await writeRequests(beside, 2, 150);
  const before = await expectSameRoot(cluster, [a, b]);
  const folded = await foldAt(cluster, a, before.size);

  const job = await jobOf(a, '/api/archives', { until: dayAgo(3) });
  expect([job.error, job.state]).toEqual([null, 'done']);
  expect(job.result.archived).toMatchObject([5, 4, 3].map((days) => ({ day: dayAgo(days), events: 150 })));
  for (const node of [a, b]) {
    for (const days of [5, 4, 3])
      await vi.waitFor(async () => expect(await requestRows(cluster, node, dayAgo(days))).toBe(0), soon);
    expect(await requestRows(cluster, node, dayAgo(2))).toBe(150);
    expect(await node.api.call('GET', '/api/archives')).toMatchObject([5, 4, 3].map((days) => ({ day: dayAgo(days) })));
  }
  expect((await foldAt(cluster, b, before.size)) === folded).toBe(true);
  const { size } = await expectSameRoot(cluster, [a, b]);
  expect(size).toBeGreaterThan(before.size);

  const events = cluster.database.log.length;
  cluster.database.scavenge();
  expect(events - cluster.database.log.length).toBeGreaterThan(400);
  const c = await cluster.inProcessNode('c', env);
  await expectSameRoot(cluster, [a, b, c]);
  const head = Math.min(...(await Promise.all([a, b, c].map((node) => headOf(cluster, node)))));
  const folds = await Promise.all([a, b, c].map((node) => foldAt(cluster, node, head)));
  expect(folds[1] === folds[0]).toBe(true);
  expect(folds[2] === folds[0]).toBe(true);
  expect(folded.length).toBeGreaterThan(1_000);
  for (const node of [a, b, c]) {
    expect(await node.ask()).toBe(200);
    expect((await node.api.call('GET', '/api/status')).problems).toEqual([]);
  }
  // Any node proves what is archived, to the key that made the request too.
  const archivedRow = requestAt(5 * 100_000 + 3, Date.now());
  for (const node of [a, b, c]) {
    const receipt = await node.api.call('GET', `/api/receipts/${archivedRow.correlationId}`);
    expect(receipt.entry).toContain(archivedRow.correlationId);
  }
  const verified = await cluster.command('c', 'verify', '--json');
  const { root, findings } = JSON.parse(verified.stdout.join(''));
  expect(root).toMatch(/^[0-9a-f]{64}$/);
  // The requests name accounts that were never imported.
  expect(findings.filter(({ kind }: { kind: string }) => kind !== 'stream missing')).toEqual([]);
});

test('restores a day on every node, also on one that joins later, and archives it again', {
  timeout: 240_000,
}, async () => {
  const cluster = await openCluster();
  const beside = await openBeside(cluster.server.url);
  for (const days of [4, 3]) await writeRequests(beside, days, 60);
  const [a, b] = await Promise.all([cluster.inProcessNode('a', env), cluster.inProcessNode('b', env)]);
  const day = dayAgo(4);
  const rowsOn = (node: ClusterNode, rows: number) =>
    vi.waitFor(async () => expect(await requestRows(cluster, node, day)).toBe(rows), soon);
  const before = await expectSameRoot(cluster, [a, b]);
  const folded = await foldAt(cluster, a, before.size);
  expect((await jobOf(a, '/api/archives', { until: dayAgo(3) })).result.archived).toHaveLength(2);
  cluster.database.scavenge();
  for (const node of [a, b]) await rowsOn(node, 0);
  // The file is where it was archived.
  expect((await jobOf(b, `/api/archives/${day}/restore`)).error).toContain('cannot be read');
  const restored = await jobOf(a, `/api/archives/${day}/restore`);
  expect([restored.error, restored.result?.restored]).toMatchObject([null, [{ day, events: 60 }]]);
  const c = await cluster.inProcessNode('c', env);
  for (const node of [a, b, c]) {
    await rowsOn(node, 60);
    expect((await node.api.call('GET', '/api/archives')).map(({ state }: { state: string }) => state)).toEqual(
      node === c ? ['restored', 'archived'] : ['restored', 'archived'],
    );
  }
  await expectSameRoot(cluster, [a, b, c]);
  const shown = await foldAt(cluster, c, await headOf(cluster, c));
  expect(shown === (await foldAt(cluster, a, await headOf(cluster, c)))).toBe(true);

  const again = await jobOf(b, '/api/archives', { until: day });
  expect([again.error, again.result?.archived]).toMatchObject([null, [{ day, events: 60 }]]);
  for (const node of [a, b, c]) await rowsOn(node, 0);
  cluster.database.scavenge();
  const d = await cluster.inProcessNode('d', env);
  await expectSameRoot(cluster, [a, b, c, d]);
  expect((await foldAt(cluster, d, before.size)) === folded).toBe(true);
  expect((await d.api.call('GET', '/api/status')).problems).toEqual([]);
});

test('a hold that was placed on one node stops the archive run of another', { timeout: 120_000 }, async () => {
  const cluster = await openCluster();
  const beside = await openBeside(cluster.server.url);
  for (const days of [4, 3]) await writeRequests(beside, days, 30);
  const [a, b] = await Promise.all([cluster.inProcessNode('a', env), cluster.inProcessNode('b', env)]);
  const hold = await a.api.call('POST', '/api/holds', { reason: 'case 7', from: dayAgo(3), until: dayAgo(2) });
  const { result } = await jobOf(b, '/api/archives', { until: dayAgo(2) });
  expect(result.archived).toMatchObject([{ day: dayAgo(4) }]);
  expect(result.kept).toEqual([{ day: dayAgo(3), reason: `held by ${hold.id}` }]);
  cluster.database.scavenge();
  for (const node of [a, b]) expect(await requestRows(cluster, node, dayAgo(3))).toBe(30);
  await b.api.call('DELETE', `/api/holds/${hold.id}`, { reason: 'closed' });
  expect((await jobOf(a, '/api/archives', { until: dayAgo(2) })).result.archived).toMatchObject([{ day: dayAgo(3) }]);
});
