import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type MongoServer, mongoServer, NO_MONGODB_FOUND } from '../support/mongo/mongoServer.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { type ClusterNode, openCluster } from './cluster.ts';
import { dayAgo, openBeside, writeRequests } from './oldRequests.ts';

const mongo = await mongoServer();
afterAll(() => mongo?.stop());

const soon = { timeout: 120_000, interval: 200 };
const env = { SVC_CHECKPOINT_KEY: 'ab'.repeat(32) };
const PER_DAY = 4_000;

/** A full machine takes five times as long as a quiet one. */
const BOUND = { timeout: 240_000, interval: 200 };

async function ended(node: ClusterNode, id: string) {
  await vi.waitUntil(async () => (await node.api.call('GET', `/api/jobs/${id}`)).state !== 'running', BOUND);
  return node.api.call('GET', `/api/jobs/${id}`);
}

/** Makes requests of a node until it is told to stop. @returns the number of requests, and what was not 200 */
function load(node: ClusterNode) {
  let isStopped = false;
  const failed: number[] = [];
  let requests = 0;
  const ending = (async () => {
    while (!isStopped) {
      const status = await node.ask();
      requests += 1;
      if (status !== 200) failed.push(status);
      await delay(20);
    }
  })();
  // The requests of a test that has failed meet nodes that have ended: `stop` reports a failure, if it is called.
  onTestFinished(() => {
    isStopped = true;
  });
  ending.catch(() => undefined);
  return {
    async stop() {
      isStopped = true;
      await ending;
      return { requests, failed };
    },
  };
}

test('archives three days on three nodes while all of them serve requests', { timeout: 420_000 }, async () => {
  const cluster = await openCluster();
  const beside = await openBeside(cluster.server.url);
  for (const days of [4, 3, 2]) await writeRequests(beside, days, PER_DAY);
  const nodes = await Promise.all(['a', 'b', 'c'].map((name) => cluster.inProcessNode(name, env)));
  const [a, b, c] = nodes as [ClusterNode, ClusterNode, ClusterNode];
  const account = cluster.provider.addAccount();
  account.always(textResponse());
  await a.api.importAccount(account);
  for (const node of nodes) await vi.waitUntil(async () => (await node.ask()) === 200, soon);
  const loads = nodes.map(load);
  const { id } = await b.api.call('POST', '/api/archives', { until: dayAgo(2) });
  const { result, error } = await ended(b, id);
  expect(error).toBeNull();
  expect(result.archived).toMatchObject([4, 3, 2].map((days) => ({ day: dayAgo(days), events: PER_DAY })));
  await vi.waitFor(async () => {
    for (const node of nodes) expect(await node.api.call('GET', '/api/archives')).toHaveLength(3);
  }, soon);
  cluster.database.scavenge();
  const d = await cluster.inProcessNode('d', env);
  const done = await Promise.all(loads.map((each) => each.stop()));
  for (const { requests, failed } of done) {
    expect(requests).toBeGreaterThan(5);
    expect(failed).toEqual([]);
  }
  await vi.waitFor(async () => {
    const [first, ...others] = await Promise.all([a, b, c, d].map(({ api }) => api.call('GET', '/api/integrity')));
    expect(first.tree_size).toBeGreaterThan(3 * PER_DAY);
    for (const other of others) expect([other.tree_size, other.root]).toEqual([first.tree_size, first.root]);
  }, soon);
  for (const node of [a, b, c, d]) expect((await node.api.call('GET', '/api/status')).problems).toEqual([]);
});

test('archives and restores a day by commands on a stopped node', { timeout: 180_000 }, async () => {
  const cluster = await openCluster();
  const beside = await openBeside(cluster.server.url);
  for (const days of [4, 3]) await writeRequests(beside, days, 50);
  const a = await cluster.inProcessNode('a', env);
  await (await cluster.inProcessNode('b', env)).stop();
  const compacted = await cluster.command('b', 'archive', '--until', dayAgo(3), '--compact');
  expect([compacted.exitCode, compacted.stderr.join('\n')]).toEqual([1, expect.stringContaining('scavenge')]);
  const archived = await cluster.command('b', 'archive', '--until', dayAgo(4));
  expect([archived.exitCode, archived.stdout.join('\n')]).toEqual([
    0,
    expect.stringContaining(`50 events of requests of ${dayAgo(4)}`),
  ]);
  await vi.waitFor(async () => {
    expect(await a.api.call('GET', '/api/archives')).toMatchObject([{ day: dayAgo(4), state: 'archived' }]);
  }, soon);
  const page = await a.api.call('GET', `/api/request-logs?limit=5&until=${dayAgo(3)}T00:00:00Z`);
  expect(page.archived).toMatchObject([{ day: dayAgo(4), events: 50 }]);
  const exported = await cluster.command('b', 'export', join(await cluster.folderOf('b'), 'export.ndjson'));
  expect(exported.exitCode).toBe(1);
  expect(exported.stderr.join('\n')).toContain(dayAgo(4));
  const restored = await cluster.command('b', 'restore-archive', dayAgo(4));
  expect([restored.exitCode, restored.stdout.join('\n')]).toEqual([0, expect.stringContaining('are in the log again')]);
  await vi.waitFor(async () => {
    expect(await a.api.call('GET', '/api/archives')).toMatchObject([{ day: dayAgo(4), state: 'restored' }]);
  }, soon);
});

describe.skipIf(!mongo)(mongo ? `${mongo.product} ${mongo.version}` : NO_MONGODB_FOUND, () => {
  test('read models in MongoDB keep the sums of archived days, and name their files on every node', {
    timeout: 240_000,
  }, async () => {
    const cluster = await openCluster({ mongoUrl: (mongo as MongoServer).newDatabase() });
    const beside = await openBeside(cluster.server.url);
    for (const days of [4, 3]) await writeRequests(beside, days, 60);
    const [a, b] = await Promise.all([cluster.inProcessNode('a', env), cluster.inProcessNode('b', env)]);
    await vi.waitFor(async () => expect((await b.api.requestLog(1)).total).toBe(120), soon);
    const { id } = await b.api.call('POST', '/api/archives', { until: dayAgo(4) });
    expect((await ended(b, id)).error).toBeNull();
    for (const node of [a, b]) {
      await vi.waitFor(async () => {
        const page = await node.api.call('GET', '/api/request-logs?limit=100');
        expect([page.total, page.archived]).toEqual([60, [expect.objectContaining({ day: dayAgo(4), events: 60 })]]);
      }, soon);
      expect((await node.api.call('GET', '/api/history?limit=5')).archived).toHaveLength(1);
    }
    const compared = await cluster.command('a', 'rebuild', '--compare');
    expect(compared.stdout.at(-1)).toMatch(/^no difference/);
    const rebuilt = await cluster.command('b', 'rebuild');
    expect(rebuilt.exitCode).toBe(0);
    await vi.waitFor(async () => expect((await a.api.requestLog(1)).total).toBe(60), soon);
    expect((await a.api.call('GET', '/api/request-logs?limit=1')).archived).toHaveLength(1);
  });
});
