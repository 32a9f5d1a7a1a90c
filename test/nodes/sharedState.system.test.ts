import { afterAll, describe, expect, test, vi } from 'vitest';
import { mongoServer } from '../support/mongo/mongoServer.ts';
import { streamSilent, textResponse, throttled } from '../support/provider/scripts.ts';
import { openCluster as open } from './cluster.ts';

// Uses EventStoreDB and MongoDB together, as in production, if a MongoDB is available.
const mongo = await mongoServer();
afterAll(() => mongo?.stop());
const openCluster = () => open({ mongoUrl: mongo?.newDatabase() });

const SLOW = { timeout: 90_000 };
const soon = { timeout: 15_000, interval: 20 };
const response = textResponse({ usage: { inputTokens: 400, cachedTokens: 0, outputTokens: 600, reasoningTokens: 0 } });

describe(`over one EventStoreDB, read models in ${mongo?.product ?? 'the folder of each node'}`, () => {
  test('applies keys, limits, accounts and sessions of one node on the other', SLOW, async () => {
    const cluster = await openCluster();
    const [a, b] = await Promise.all([cluster.inProcessNode('a'), cluster.inProcessNode('b')]);
    const account = cluster.provider.addAccount();
    account.always(response);
    await a.api.importAccount(account);
    const limits = [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 3_000 }];
    const { key } = await a.api.call('POST', '/api/api-keys', { name: 'shared', limits });
    await a.api.set({ api_key_auth_enabled: true });
    const headers = { authorization: `Bearer ${key}` };
    await vi.waitUntil(async () => (await b.api.call('GET', '/api/settings')).api_key_auth_enabled, soon);
    expect(await b.ask()).toBe(401);
    expect(await b.ask(headers)).toBe(200);

    // Each request uses 1,000 tokens. The limit counts the requests of both nodes.
    expect(await a.ask(headers)).toBe(200);
    await vi.waitUntil(async () => (await a.api.keys())[0]?.limits[0]?.current_value === 2_000, soon);
    // The last request of a limit waits until the other node knows of the one before.
    await vi.waitUntil(async () => (await a.ask(headers)) === 200, soon);
    await vi.waitUntil(async () => (await b.api.keys())[0]?.limits[0]?.current_value === 3_000, soon);
    expect([await a.ask(headers), await b.ask(headers)]).toEqual([429, 429]);
    for (const { api } of [a, b]) {
      const served = async () => (await api.requestLog()).rows.filter(({ status }) => String(status) === '200').length;
      await vi.waitFor(async () => expect(await served()).toBe(3), soon);
    }

    const setUp = await a.send('POST', '/api/dashboard-auth/password/setup', { body: { password: 'correct horse' } });
    const cookie = (setUp.headers.get('set-cookie') ?? '').split(';')[0] as string;
    const statusAt = async (node: typeof a) =>
      (await node.send('GET', '/api/accounts', { headers: { cookie } })).status;
    await vi.waitUntil(async () => (await statusAt(b)) === 200, soon);
    const logout = await b.send('POST', '/api/dashboard-auth/logout', { headers: { cookie } });
    expect(logout.status).toBe(200);
    expect(await statusAt(b)).toBe(401);
    await vi.waitUntil(async () => (await statusAt(a)) === 401, soon);
  });

  test('applies a change of one node on the other within a second', SLOW, async () => {
    const cluster = await openCluster();
    const [a, b] = await Promise.all([cluster.inProcessNode('a'), cluster.inProcessNode('b')]);
    const isOnAt = async ({ api }: typeof a) => (await api.call('GET', '/api/settings')).sticky_threads_enabled;
    const durations: number[] = [];
    for (let change = 0; change < 5; change += 1) {
      const isOn = !(await isOnAt(a));
      await a.api.set({ sticky_threads_enabled: isOn });
      const since = performance.now();
      await vi.waitUntil(async () => (await isOnAt(b)) === isOn, soon);
      durations.push(performance.now() - since);
    }
    // The median, because a busy machine may stall once.
    expect(durations.sort((one, other) => one - other)[2]).toBeLessThan(1_000);
  });

  test('counts the reservation of an open request on the other node', SLOW, async () => {
    const cluster = await openCluster();
    const [a, b] = await Promise.all([cluster.inProcessNode('a'), cluster.inProcessNode('b')]);
    const account = cluster.provider.addAccount();
    await a.api.importAccount(account);
    const limits = [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 1_000 }];
    const { key } = await a.api.call('POST', '/api/api-keys', { name: 'shared', limits });
    await a.api.set({ api_key_auth_enabled: true });
    const headers = { authorization: `Bearer ${key}` };
    await vi.waitUntil(async () => (await b.api.call('GET', '/api/settings')).api_key_auth_enabled, soon);
    account.always(streamSilent());
    const leaving = new AbortController();
    const open = fetch(`${a.url}/backend-api/svc/responses`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-5.1', instructions: '', input: [], stream: true, store: false }),
      signal: leaving.signal,
    }).then((response) => response.text());
    open.catch(() => undefined);
    await vi.waitUntil(async () => ((await b.api.keys())[0]?.limits[0]?.reserved_value ?? 0) > 0, soon);
    expect(await b.ask(headers)).toBe(429);
    leaving.abort();
    await vi.waitUntil(async () => (await b.api.keys())[0]?.limits[0]?.reserved_value === 0, soon);
  });

  test('leaves out an account that cools down on the other node', SLOW, async () => {
    const cluster = await openCluster();
    const [a, b] = await Promise.all([cluster.inProcessNode('a'), cluster.inProcessNode('b')]);
    const account = cluster.provider.addAccount();
    account.always(throttled({ shape: 'error', retryAfter: 600 }));
    const id = await a.api.importAccount(account);
    expect(await a.ask()).toBe(429);
    const cooling = { account_id: id, availability: { state: 'cooling', reason: 'throttled' } };
    await vi.waitFor(async () => {
      for (const { api } of [a, b]) expect((await api.call('GET', '/api/accounts')).accounts).toMatchObject([cooling]);
    }, soon);
    expect(await b.ask()).toBe(429);
    expect(account.received.filter(({ path }) => path.endsWith('/codex/responses'))).toHaveLength(1);
  });

  test('refreshes a token once for both nodes', SLOW, async () => {
    const cluster = await openCluster();
    const [a, b] = await Promise.all([cluster.inProcessNode('a'), cluster.inProcessNode('b')]);
    const account = cluster.provider.addAccount();
    account.always(response);
    const id = await a.api.importAccount(account);
    await vi.waitUntil(async () => (await b.api.call('GET', '/api/accounts')).accounts.length === 1, soon);
    account.expireAccessToken();
    const statuses = await Promise.all([a, b, a, b, a, b].map((node) => node.ask()));
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200]);
    expect(account.received.filter(({ path }) => path === '/oauth/token')).toHaveLength(1);
    const { accounts } = await b.api.call('GET', '/api/accounts');
    expect(accounts).toMatchObject([{ account_id: id, status: 'active' }]);
  });
});
