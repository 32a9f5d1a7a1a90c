import { expect, test, vi } from 'vitest';
import { openCluster } from '../nodes/cluster.ts';
import { FakeDatabase } from '../support/eventstore/fakeDatabase.ts';

const soon = { timeout: 20_000, interval: 50 };

test('writes nothing into a store that was swapped under it, says so, and loses nothing', async () => {
  const cluster = await openCluster();
  const node = await cluster.inProcessNode('a');
  const account = cluster.provider.addAccount();
  await node.api.importAccount(account);
  await node.api.call('POST', '/api/firewall/ips', { ip_address: '127.0.0.1' });
  const { server, database: own } = cluster;
  const foreign = new FakeDatabase();
  const written = foreign.log.length;
  const status = () => node.api.call('GET', '/api/status');
  const problems = async (): Promise<string[]> =>
    (await status()).problems
      .map(({ code }: { code: string }) => code)
      .filter((code: string) => code.startsWith('store'));

  await server.swapData(foreign);
  const appends = server.calls.get('Append');
  const changes = await Promise.all(
    Array.from({ length: 9 }, (_, index) => node.send('POST', '/api/api-keys', { body: { name: `key ${index}` } })),
  );
  expect(new Set(changes.map(({ status: code }) => code))).toEqual(new Set([503]));
  for (const change of changes) expect(await change.text()).toContain('nothing was changed');
  await vi.waitUntil(async () => (await problems()).includes('store_foreign'), soon);
  expect((await status()).events.cut_off_since).toEqual(expect.any(String));
  for (let request = 0; request < 5; request += 1) expect(await node.ask()).toBe(200);
  expect((await status()).outbox.pending).toBeGreaterThanOrEqual(5);
  // The drainer and the lease read again and again whether the store is theirs, and send nothing.
  const reads = server.calls.get('Read') ?? 0;
  await vi.waitUntil(() => (server.calls.get('Read') ?? 0) > reads + 30, soon);
  expect(server.calls.get('Append')).toBe(appends);
  expect(foreign.log.slice(written)).toEqual([]);

  await server.swapData(own);
  await vi.waitUntil(async () => (await status()).outbox.pending === 0, soon);
  expect(own.log.filter(({ type }) => type === 'RequestCompleted')).toHaveLength(5);
  await vi.waitUntil(async () => (await problems()).length === 0, soon);
  expect((await status()).events.cut_off_since).toBeNull();
  expect((await node.send('POST', '/api/api-keys', { body: { name: 'after' } })).status).toBe(200);
  expect(foreign.log.slice(written)).toEqual([]);
}, 90_000);
