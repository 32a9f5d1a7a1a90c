import { MongoClient } from 'mongodb';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { compareMongoReadModels } from '../../src/readModels/mongo/rebuild.ts';
import { activeFence } from '../support/mongo/activeFence.ts';
import { type MongoServer, mongoServer, NO_MONGODB_FOUND } from '../support/mongo/mongoServer.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { type ClusterNode, openCluster } from './cluster.ts';

const mongo = await mongoServer();
afterAll(() => mongo?.stop());

const SLOW = { timeout: 140_000 };
const soon = { timeout: 30_000, interval: 50 };
const takes = (lease: string, more = '') => new RegExp(`lease "${lease}" is held by this node now.*${more}`);
/** Resolves when the request log of a node has `count` rows. */
const untilRows = (count: number, { api }: ClusterNode): Promise<void> =>
  vi.waitFor(async () => expect((await api.requestLog(0)).total).toBe(count), soon);

/** Starts two nodes, of which the first has the leases. */
async function twoNodes(mongoUrl: string) {
  const cluster = await openCluster({ mongoUrl });
  const a = await cluster.node('a');
  await Promise.all([a.service.printed(takes('read-models')), a.service.printed(takes('polling'))]);
  const b = await cluster.node('b');
  const account = cluster.provider.addAccount();
  account.always(textResponse());
  await a.api.importAccount(account);
  await vi.waitUntil(async () => (await b.api.call('GET', '/api/accounts')).accounts.length === 1, soon);
  const known = ['read-models', 'polling'].map((name) => ({ name, node: 'a', is_here: false }));
  await vi.waitFor(
    async () => expect((await b.api.call('GET', '/api/status')).sole_work).toEqual(expect.arrayContaining(known)),
    soon,
  );
  return { cluster, a, b, account };
}

describe.skipIf(!mongo)(mongo ? `read models in ${mongo.product} ${mongo.version}` : NO_MONGODB_FOUND, () => {
  test('replaces a killed projector within 20 s without losing requests', SLOW, async () => {
    const { a, b } = await twoNodes((mongo as MongoServer).newDatabase());
    expect([await a.ask(), await b.ask()]).toEqual([200, 200]);
    await untilRows(2, b);
    await a.service.kill();
    const since = performance.now();
    expect(await b.ask()).toBe(200);
    await b.service.printed(takes('read-models', 'taken from node a \\(epoch 2\\)'));
    expect(performance.now() - since).toBeLessThan(20_000);
    await untilRows(3, b);
  });

  test('fences off a leader that paused during its work, and lets it take over later', SLOW, async () => {
    const mongoUrl = (mongo as MongoServer).newDatabase();
    await using client = new MongoClient(mongoUrl);
    const fence = () => activeFence(client.db());
    const { cluster, a, b } = await twoNodes(mongoUrl);
    expect(await fence()).toEqual({ by: 'EventStoreDB', epoch: 1 });

    // The leader still has events to project when it stops.
    const requests = Array.from({ length: 20 }, () => b.ask());
    await Promise.race(requests);
    a.service.signal('SIGSTOP');
    await Promise.all(requests);
    // Both leases, because the old leader would keep a lease that was not taken over.
    const taken = ['read-models', 'polling'].map((name) => b.service.printed(takes(name, 'taken from node a')));
    await Promise.all(taken);
    await untilRows(20, b);
    a.service.signal('SIGCONT');
    expect(await a.ask()).toBe(200);
    for (const node of [a, b]) await untilRows(21, node);
    expect(await fence()).toEqual({ by: 'EventStoreDB', epoch: 2 });
    const logPath = `${await cluster.folderOf('b')}/mirror.sqlite`;
    expect((await compareMongoReadModels({ url: mongoUrl, logPath, isCopy: true })).differences).toEqual([]);

    await b.service.kill();
    expect(await a.ask()).toBe(200);
    const again = ['read-models', 'polling'].map((lease) => a.service.printed(takes(lease, 'taken from node b')));
    await Promise.all(again);
    await untilRows(22, a);
    expect(await fence()).toEqual({ by: 'EventStoreDB', epoch: 3 });
  });

  test('hands over at once when a node shuts down normally', SLOW, async () => {
    const { a, b } = await twoNodes((mongo as MongoServer).newDatabase());
    const ended = await a.stop();
    expect(ended.exitCode).toBe(0);
    const since = performance.now();
    await Promise.all(['read-models', 'polling'].map((lease) => b.service.printed(takes(lease))));
    expect(performance.now() - since).toBeLessThan(5_000);
    expect(await b.ask()).toBe(200);
    await untilRows(1, b);
  });
});
