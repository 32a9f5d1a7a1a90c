import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { compareMongoReadModels } from '../../src/readModels/mongo/rebuild.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type MongoServer, mongoServer, NO_MONGODB_FOUND } from '../support/mongo/mongoServer.ts';
import { throughTcpProxy } from '../support/mongo/throughTcpProxy.ts';

const mongo = await mongoServer();
afterAll(() => mongo?.stop());

const SLOW = { timeout: 90_000 };
const soon = { timeout: 30_000, interval: 50 };
const AWAY = /^MongoDB at 127\.0\.0\.1:\d+ cannot be used: .* \(attempt 1, the next one in 0\.5 s\)/;
const BACK = /^MongoDB at 127\.0\.0\.1:\d+ is available again; the read models continue\.$/;

/** A new database, behind a network connection that a test can break. */
async function databaseBehindProxy() {
  const direct = (mongo as MongoServer).newDatabase();
  const { network: proxy, url } = await throughTcpProxy(direct);
  return { proxy, direct, url };
}

async function gatewayOver(url: string): Promise<Gateway> {
  const gateway = await startGateway({ env: { SVC_MONGODB_URL: url } });
  onTestFinished(() => gateway.stop());
  return gateway;
}

const ask = async (gateway: Gateway): Promise<number> => {
  const response = await gateway.ask();
  await response.text();
  return response.status;
};
const rows = async (gateway: Gateway) => (await gateway.api('GET', '/api/request-logs?limit=1')).body.total as number;
const compareWithLog = (gateway: Gateway, url: string) =>
  compareMongoReadModels({ url, logPath: join(gateway.folder, 'log.sqlite') });

const READ_MODEL_PATHS = ['/api/request-logs', '/api/history', '/api/usage/summary', '/api/dashboard/overview'];

describe.skipIf(!mongo)(mongo ? `${mongo.product} ${mongo.version}` : NO_MONGODB_FOUND, () => {
  test.each(['cut', 'drop'] as const)(
    'serves requests and changes without MongoDB (%s), and catches up later',
    SLOW,
    async (fault) => {
      const { proxy, url, direct } = await databaseBehindProxy();
      const gateway = await gatewayOver(url);
      expect(await ask(gateway)).toBe(200);
      await vi.waitUntil(async () => (await rows(gateway)) === 1, soon);

      proxy[fault]();
      const queries = READ_MODEL_PATHS.map((path) => gateway.api('GET', path));
      expect([await ask(gateway), await ask(gateway), await ask(gateway)]).toEqual([200, 200, 200]);
      const change = await gateway.api('POST', '/api/firewall/ips', { ip_address: '127.0.0.1' });
      expect(change.status).toBe(200);
      expect((await gateway.api('GET', '/api/accounts')).status).toBe(200);
      for (const [index, { status, body }] of (await Promise.all(queries)).entries()) {
        expect([status, body.error?.code], READ_MODEL_PATHS[index]).toEqual([503, 'read_models_unavailable']);
      }
      await vi.waitUntil(() => gateway.output.some((line) => AWAY.test(line)), soon);
      const { body: away } = await gateway.api('GET', '/api/status');
      const trouble = expect.stringContaining('MongoDB at 127.0.0.1:');
      expect(away.read_models).toEqual({ store: 'mongodb', position: null, behind: null, trouble });

      await proxy.heal();
      await vi.waitUntil(async () => (await rows(gateway)) === 4, soon);
      expect(gateway.output).toContainEqual(expect.stringMatching(BACK));
      expect((await gateway.api('GET', '/api/history')).body.events[0]).toMatchObject({ type: 'IpAllowed' });
      expect((await compareWithLog(gateway, direct)).differences).toEqual([]);
      const { body: back } = await gateway.api('GET', '/api/status');
      expect(back.read_models).toMatchObject({ position: back.events.position, behind: 0, trouble: null });
    },
  );

  test('starts without MongoDB, serves requests, and reports each attempt to connect', SLOW, async () => {
    const { proxy, url } = await databaseBehindProxy();
    proxy.cut();
    const gateway = await gatewayOver(url);
    expect(await ask(gateway)).toBe(200);
    expect(await gateway.api('GET', '/api/request-logs')).toMatchObject({ status: 503 });
    await vi.waitUntil(() => gateway.output.some((line) => /\(attempt 2, the next one in 1 s\)/.test(line)), soon);
    expect(gateway.output).toContainEqual(expect.stringMatching(AWAY));
    await proxy.heal();
    await vi.waitUntil(async () => (await gateway.api('GET', '/api/request-logs')).body.total === 1, soon);
  });

  test('writes everything once although connections break in the middle of writes', SLOW, async () => {
    const { proxy, url, direct } = await databaseBehindProxy();
    const gateway = await gatewayOver(url);
    for (const bytes of [0, 700, 1_900, 4_000, 9_000]) {
      proxy.cutAfter(bytes);
      expect(await Promise.all([1, 2, 3, 4].map(() => ask(gateway)))).toEqual([200, 200, 200, 200]);
      await proxy.heal();
    }
    await vi.waitUntil(async () => (await rows(gateway)) === 20, soon);
    expect((await compareWithLog(gateway, direct)).differences).toEqual([]);
  });

  test('stops in time while MongoDB does not respond', SLOW, async () => {
    const { proxy, url } = await databaseBehindProxy();
    const gateway = await gatewayOver(url);
    await vi.waitUntil(async () => (await gateway.api('GET', '/api/request-logs')).status === 200, soon);
    proxy.drop();
    expect(await ask(gateway)).toBe(200);
    const since = performance.now();
    await gateway.stopService();
    expect(performance.now() - since).toBeLessThan(12_000);
  });
});
