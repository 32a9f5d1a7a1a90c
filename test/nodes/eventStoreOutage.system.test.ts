import { expect, test, vi } from 'vitest';
import type { Instant } from '../../src/domain/core/brands.ts';
import { reasonsOf } from '../durability/support/reasonsOf.ts';
import { codeAt } from '../support/browser.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { takeSnapshot } from '../support/takeSnapshot.ts';
import { type Cluster, type ClusterNode, openCluster } from './cluster.ts';

const SLOW = { timeout: 90_000 };
const soon = { timeout: 20_000, interval: 50 };
const response = textResponse({ usage: { inputTokens: 400, cachedTokens: 0, outputTokens: 600, reasoningTokens: 0 } });

const aNode = async (limit?: number, env?: Readonly<Record<string, string>>) => {
  const cluster = await openCluster();
  return setUpNode(cluster, await cluster.inProcessNode('a', env), limit);
};

/** Starts a node in its own process, which a test can kill. */
const aNodeToKill = async (limit?: number) => {
  const cluster = await openCluster();
  return setUpNode(cluster, await cluster.node('a'), limit);
};

/** Imports an account and creates an API key with a daily token limit. */
async function setUpNode<Node extends ClusterNode>(cluster: Cluster, node: Node, limit = 1_000_000) {
  const account = cluster.provider.addAccount();
  account.always(response);
  await node.api.importAccount(account);
  const limits = [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: limit }];
  const { key } = await node.api.call('POST', '/api/api-keys', { name: 'k', limits });
  await node.api.set({ api_key_auth_enabled: true });
  return { cluster, node, headers: { authorization: `Bearer ${key}` } };
}

const status = async ({ send }: ClusterNode, cookie: string) =>
  // biome-ignore lint/suspicious/noExplicitAny: a test may read any field
  (await (await send('GET', '/api/status', { headers: { cookie } })).json()) as any;

const completedIn = ({ database }: { database: { log: readonly { type: string; data: Uint8Array }[] } }): string[] =>
  database.log
    .filter(({ type }) => type === 'RequestCompleted')
    .map(({ data }) => JSON.parse(Buffer.from(data).toString()).requestId);

test('serves requests and sign-ins without EventStoreDB, and drains their events once later', SLOW, async () => {
  const { cluster, node, headers } = await aNode(3_000);
  const password = { password: 'correct horse' };
  const setUp = await node.send('POST', '/api/dashboard-auth/password/setup', { body: password });
  const cookie = (setUp.headers.get('set-cookie') ?? '').split(';')[0] as string;
  const setUpTotp = async (step: string, body: object) => {
    const path = `/api/dashboard-auth/totp/setup/${step}`;
    const response = await node.send('POST', path, { body, headers: { cookie } });
    return (await response.json()) as { secret: string; setupToken: string };
  };
  const { secret, setupToken } = await setUpTotp('start', {});
  await setUpTotp('confirm', { setupToken, code: codeAt(secret, Date.now() as Instant) });
  expect(await node.ask(headers)).toBe(200);
  await vi.waitUntil(() => completedIn(cluster).length === 1, soon);
  await cluster.stopEventStore();

  expect([await node.ask(headers), await node.ask(headers), await node.ask(headers)]).toEqual([200, 200, 429]);
  const change = await node.send('POST', '/api/firewall/ips', {
    body: { ip_address: '10.0.0.1' },
    headers: { cookie },
  });
  expect([change.status, ((await change.json()) as { error: { code: string } }).error.code]).toEqual([
    503,
    'log_unavailable',
  ]);
  const signedIn = await node.send('POST', '/api/dashboard-auth/password/login', { body: password });
  expect(signedIn.status).toBe(200);
  const session = { cookie: (signedIn.headers.get('set-cookie') ?? '').split(';')[0] as string };
  expect((await node.send('GET', '/api/accounts', { headers: session })).status).toBe(200);
  // A second factor works too. Only this node can refuse the same code again until EventStoreDB is back.
  const code = codeAt(secret, (Date.now() + 30_000) as Instant);
  const verify = () => node.send('POST', '/api/dashboard-auth/totp/verify', { body: { code }, headers: session });
  const verified = await verify();
  expect([verified.status, (await verify()).status]).toEqual([200, 401]);
  session.cookie = (verified.headers.get('set-cookie') ?? '').split(';')[0] as string;
  expect((await verify()).status).toBe(400);
  expect((await node.send('POST', '/api/dashboard-auth/logout', { headers: session })).status).toBe(200);
  expect((await node.send('GET', '/api/accounts', { headers: session })).status).toBe(401);
  expect(completedIn(cluster)).toHaveLength(1);
  const away = await status(node, cookie);
  expect(Date.parse(away.events.cut_off_since)).toBeLessThan(Date.now());
  expect(away.outbox).toMatchObject({ pending: expect.any(Number), is_full: false });
  expect(away.outbox.pending).toBeGreaterThanOrEqual(2);

  await cluster.restartEventStore();
  await vi.waitUntil(() => completedIn(cluster).length === 3, soon);
  const keys = async () =>
    (await (await node.send('GET', '/api/api-keys', { headers: { cookie } })).json()) as {
      limits: { current_value: number; reserved_value: number }[];
    }[];
  await vi.waitUntil(async () => (await keys())[0]?.limits[0]?.current_value === 3_000, soon);
  expect((await keys())[0]?.limits[0]?.reserved_value).toBe(0);
  expect((await node.send('GET', '/api/accounts', { headers: session })).status).toBe(401);
  const again = await node.send('POST', '/api/firewall/ips', {
    body: { ip_address: '10.0.0.1' },
    headers: { cookie },
  });
  expect(again.status).toBe(200);
  expect(new Set(completedIn(cluster)).size).toBe(3);
  await vi.waitUntil(async () => (await status(node, cookie)).outbox.pending === 0, soon);
  expect((await status(node, cookie)).events.cut_off_since).toBeNull();
});

test('serves requests while EventStoreDB never responds, and fails a change within 15 s', SLOW, async () => {
  const { cluster, node, headers } = await aNode();
  cluster.server.allAppends({ isWritten: false, end: 'never' });
  const since = performance.now();
  const pendingChange = node.send('POST', '/api/firewall/ips', { body: { ip_address: '127.0.0.1' } });
  expect(await node.ask(headers)).toBe(200);
  const change = await pendingChange;
  expect(performance.now() - since).toBeLessThan(15_000);
  expect([change.status, ((await change.json()) as { error: { code: string } }).error.code]).toEqual([
    503,
    'log_unavailable',
  ]);
  expect(completedIn(cluster)).toEqual([]);
  cluster.server.allAppends();
  await vi.waitUntil(() => completedIn(cluster).length === 1, soon);
});

test.each([
  ['the next start', () => {}],
  [
    'the next start from a snapshot',
    (folder: string, masterKey: string) => void takeSnapshot(folder, { logName: 'mirror.sqlite', masterKey }),
  ],
])('counts and drains the outbox after kill -9 at %s', SLOW, async (_, beforeStart) => {
  const { cluster, node, headers } = await aNodeToKill(4_000);
  await cluster.stopEventStore();
  expect([await node.ask(headers), await node.ask(headers), await node.ask(headers)]).toEqual([200, 200, 200]);
  await node.service.kill();
  beforeStart(await cluster.folderOf('a'), cluster.key);
  // The start waits for the server, with a line.
  const service = await cluster.launch('a');
  await service.printed(/EventStoreDB at \S+ cannot be used yet \(attempt 1/);
  await cluster.restartEventStore();
  await service.listening();
  await service.kill();
  beforeStart(await cluster.folderOf('a'), cluster.key);
  const next = await cluster.inProcessNode('a');
  expect(await next.ask(headers)).toBe(200);
  expect(await next.ask(headers)).toBe(429);
  await vi.waitUntil(() => completedIn(cluster).length === 4, soon);
  expect(new Set(completedIn(cluster)).size).toBe(4);
  await vi.waitUntil(async () => (await next.api.requestLog()).total === 5, soon);
});

test('refuses new requests with a code while the outbox is full', SLOW, async () => {
  const { cluster, node, headers } = await aNode(1_000_000_000, { SVC_OUTBOX_MAX_EVENTS: '1000' });
  await cluster.stopEventStore();
  const statuses = new Set<number>();
  for (let round = 0; round < 60 && !statuses.has(503); round += 1) {
    for (const status of await Promise.all(Array.from({ length: 25 }, () => node.ask(headers)))) statuses.add(status);
  }
  expect(statuses).toEqual(new Set([200, 503]));
  const refused = await node.send('POST', '/v1/responses', { body: { model: 'gpt-5.1', input: 'hi' }, headers });
  expect(((await refused.json()) as { error: { code: string } }).error.code).toBe('outbox_full');
  expect(await reasonsOf(node.url)).toEqual(['outbox_full']);
  await cluster.restartEventStore();
  await vi.waitUntil(async () => (await node.ask(headers)) === 200, soon);
});
