import { MongoClient } from 'mongodb';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { compareMongoReadModels } from '../../src/readModels/mongo/rebuild.ts';
import { fenceIn } from '../support/mongo/fenceIn.ts';
import { type MongoServer, mongoServer, NO_MONGODB } from '../support/mongo/mongoServer.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { type ClusterNode, openCluster } from './cluster.ts';

const mongo = await mongoServer();
afterAll(() => mongo?.stop());

const SLOW = { timeout: 140_000 };
const soon = { timeout: 30_000, interval: 50 };
const takes = (lease: string, more = '') => new RegExp(`lease "${lease}" is held by this node now.*${more}`);
/** Resolves once the request log of a node has so many rows. */
const rows = (count: number, { api }: ClusterNode): Promise<void> =>
  vi.waitFor(async () => expect((await api.requestLog(0)).total).toBe(count), soon);

/** Two nodes, of which the first does what only one does. */
async function twoNodes(mongoUrl: string) {
  const cluster = await openCluster({ mongoUrl });
  const a = await cluster.node('a');
  await Promise.all([a.service.saying(takes('read-models')), a.service.saying(takes('polling'))]);
  const b = await cluster.node('b');
  const account = cluster.provider.addAccount();
  account.always(textResponse());
  await a.api.importAccount(account);
  await vi.waitUntil(async () => (await b.api.call('GET', '/api/accounts')).accounts.length === 1, soon);
  const known = ['read-models', 'polling'].map((name) => ({ name, node: 'a', is_here: false }));
  await vi.waitFor(async () => expect((await b.api.call('GET', '/api/status')).sole_work).toEqual(known), soon);
  return { cluster, a, b, account };
}

describe.skipIf(!mongo)(mongo ? `read models in ${mongo.product} ${mongo.version}` : NO_MONGODB, () => {
  test(
    'a projector that is killed is replaced within 20 s, and what was served meanwhile is not lost',
    SLOW,
    async () => {
      const { a, b } = await twoNodes((mongo as MongoServer).newDatabase());
      expect([await a.ask(), await b.ask()]).toEqual([200, 200]);
      await rows(2, b);
      await a.service.kill();
      const since = performance.now();
      expect(await b.ask()).toBe(200);
      await b.service.saying(takes('read-models', 'taken from node a \\(epoch 2\\)'));
      expect(performance.now() - since).toBeLessThan(20_000);
      await rows(3, b);
    },
  );

  test(
    'an owner that paused in the middle of its work writes nothing more, and can be the next one',
    SLOW,
    async () => {
      const mongoUrl = (mongo as MongoServer).newDatabase();
      await using client = new MongoClient(mongoUrl);
      const fence = () => fenceIn(client.db());
      const { cluster, a, b } = await twoNodes(mongoUrl);
      expect(await fence()).toEqual({ by: 'EventStoreDB', epoch: 1 });

      // It has events to fold at the moment at which it stops.
      const asked = Array.from({ length: 20 }, () => b.ask());
      await Promise.race(asked);
      a.service.signal('SIGSTOP');
      await Promise.all(asked);
      // Both: one that nobody took meanwhile the old owner would go on with.
      const taken = ['read-models', 'polling'].map((name) => b.service.saying(takes(name, 'taken from node a')));
      await Promise.all(taken);
      await rows(20, b);
      a.service.signal('SIGCONT');
      expect(await a.ask()).toBe(200);
      for (const node of [a, b]) await rows(21, node);
      expect(await fence()).toEqual({ by: 'EventStoreDB', epoch: 2 });
      const logPath = `${await cluster.folderOf('b')}/mirror.sqlite`;
      expect((await compareMongoReadModels({ url: mongoUrl, logPath, isCopy: true })).differences).toEqual([]);

      await b.service.kill();
      expect(await a.ask()).toBe(200);
      const again = ['read-models', 'polling'].map((lease) => a.service.saying(takes(lease, 'taken from node b')));
      await Promise.all(again);
      await rows(22, a);
      expect(await fence()).toEqual({ by: 'EventStoreDB', epoch: 3 });
    },
  );

  test('a node that stops in order hands over at once', SLOW, async () => {
    const { a, b } = await twoNodes((mongo as MongoServer).newDatabase());
    const ended = await a.stop();
    expect(ended.exitCode).toBe(0);
    const since = performance.now();
    await Promise.all(['read-models', 'polling'].map((lease) => b.service.saying(takes(lease))));
    expect(performance.now() - since).toBeLessThan(5_000);
    expect(await b.ask()).toBe(200);
    await rows(1, b);
  });
});
