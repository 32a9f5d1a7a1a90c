import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startGateway, validRequest } from '../support/gateway.ts';
import { defaultResponse, noResponse, serverError } from '../support/provider/scripts.ts';
import { type Scraped, scrape } from '../support/scrape.ts';
import { openStrictSocket } from '../support/strictSocket.ts';
import { waitOptions } from '../support/waitOptions.ts';

let gateway: Awaited<ReturnType<typeof startGateway>>;
let before: Scraped;
beforeAll(async () => {
  gateway = await startGateway({ accounts: 2 });
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  before = await scrape(gateway.url);
});

const REQUESTS = 'svc_requests_total';
const ROUTE = '/backend-api/svc/responses';

/** How much a metric has grown since the test began. */
async function growth(name: string, labels: Record<string, string> = {}): Promise<number> {
  const now = await scrape(gateway.url);
  return now.sum(name, labels) - before.sum(name, labels);
}

/** The client has its response a moment before the request has ended. */
const expectGrowth = (name: string, labels: Record<string, string>, expected: number) =>
  vi.waitFor(async () => expect(await growth(name, labels)).toBe(expected), waitOptions);

test('counts a request that was served once, with its attempt and its times', async () => {
  await (await gateway.ask()).text();
  const { model } = validRequest;
  await expectGrowth(REQUESTS, { route: ROUTE, status: '200', model, account_outcome: 'ok' }, 1);
  expect(await growth(REQUESTS)).toBe(1);
  expect(await growth('svc_attempts_total', { class: 'ok' })).toBe(1);
  for (const name of ['svc_request_duration_seconds', 'svc_request_first_byte_seconds', 'svc_request_added_seconds'])
    expect([name, await growth(`${name}_count`, { route: ROUTE })]).toEqual([name, 1]);
  expect(await growth('svc_http_responses_total', { route: ROUTE, method: 'POST', status: '200' })).toBe(1);
  expect(await growth('svc_append_duration_seconds_count')).toBeGreaterThan(0);
});

test('counts a request once that two accounts were tried for, and both attempts', async () => {
  gateway.pool[0]?.at.next(serverError({ status: 500, body: 'json' }));
  await (await gateway.ask()).text();
  await expectGrowth(REQUESTS, { status: '200', account_outcome: 'ok' }, 1);
  expect(await growth(REQUESTS)).toBe(1);
  expect([await growth('svc_attempts_total', { class: 'provider_error' }), await growth('svc_attempts_total')]).toEqual(
    [1, 2],
  );
});

test('counts requests that are refused once, by what is known of them', async () => {
  await gateway.ask('{"model":', {});
  await expectGrowth(REQUESTS, { route: ROUTE, status: '400', model: 'none', account_outcome: 'none' }, 1);
  const { body: key } = await gateway.api('POST', '/api/api-keys', { name: 'one', allowed_models: ['gpt-5'] });
  await gateway.set({ api_key_auth_enabled: true });
  await gateway.ask(validRequest);
  await gateway.ask(validRequest, { headers: { authorization: `Bearer ${key.key}` } });
  await gateway.set({ api_key_auth_enabled: false });
  await expectGrowth(REQUESTS, { status: '401', model: 'none' }, 1);
  await expectGrowth(REQUESTS, { status: '403', model: validRequest.model }, 1);
  expect(await growth(REQUESTS)).toBe(3);
  expect(await growth('svc_http_responses_total', { route: ROUTE })).toBe(3);
});

test('counts a request whose client disconnects once, as an error', async () => {
  for (const { at } of gateway.pool) at.always(noResponse());
  const gone = new AbortController();
  const asked = gateway.ask(validRequest, { signal: gone.signal }).catch(() => undefined);
  await vi.waitFor(async () => expect((await scrape(gateway.url)).sum('svc_open_requests')).toBe(1), waitOptions);
  gone.abort();
  await asked;
  for (const { at } of gateway.pool) at.always(defaultResponse());
  await expectGrowth(REQUESTS, { status: 'error', account_outcome: 'client_gone' }, 1);
  expect(await growth(REQUESTS)).toBe(1);
  expect((await scrape(gateway.url)).sum('svc_open_requests')).toBe(0);
});

test('counts each request on a websocket once, with the attempts of each', async () => {
  const socket = await openStrictSocket(`${gateway.url}${ROUTE}`);
  await socket.create(validRequest);
  await socket.create(validRequest);
  await socket.leave();
  const { model } = validRequest;
  await expectGrowth(REQUESTS, { route: ROUTE, status: '200', model, account_outcome: 'ok' }, 2);
  expect([await growth(REQUESTS), await growth('svc_attempts_total')]).toEqual([2, 2]);
  expect(await growth('svc_request_duration_seconds_count', { route: ROUTE })).toBe(2);
});

test('does not count what is no model request', async () => {
  for (const path of ['/v1/models', '/v1/nothing', '/api/accounts', '/health'])
    await (await fetch(gateway.url + path)).text();
  await (await fetch(gateway.url + ROUTE)).text();
  expect(await growth(REQUESTS)).toBe(0);
  expect(await growth('svc_http_responses_total', { route: '/v1/models', status: '200' })).toBe(1);
  expect(await growth('svc_http_responses_total', { route: 'other', status: '404' })).toBe(1);
  expect(await growth('svc_http_responses_total', { route: '/api/accounts' })).toBe(1);
  expect(await growth('svc_http_responses_total', { route: ROUTE, status: '405' })).toBe(1);
});

test('shows the pool, the window that is left of each account, and what follows the log', async () => {
  await (await gateway.ask()).text();
  await vi.waitFor(
    async () => expect((await scrape(gateway.url)).samples('svc_account_failure_ratio')).not.toEqual([]),
    waitOptions,
  );
  const now = await scrape(gateway.url);
  expect(now.sum('svc_accounts')).toBe(2);
  const ids = gateway.pool.map(({ id }) => id);
  for (const { labels, value } of now.samples('svc_account_failure_ratio'))
    expect([ids.includes(labels.account ?? ''), value >= 0 && value <= 1]).toEqual([true, true]);
  const left = now.samples('svc_account_window_left_ratio').filter(({ labels }) => labels.window === 'secondary');
  expect(left.map(({ value }) => value)).toEqual([1, 0.9]);
  const lags = Object.fromEntries(
    now.samples('svc_projection_lag_events').map(({ labels, value }) => [labels.projection, value]),
  );
  expect(Object.keys(lags)).toEqual(['read_models', 'tree']);
  expect(now.sum('svc_log_position')).toBeGreaterThan(10);
  expect(now.sum('svc_process_open_descriptors')).toBeGreaterThan(10);
  expect(now.sum('svc_process_memory_bytes', { kind: 'resident' })).toBeGreaterThan(50e6);
});

test('shows keys near their limit by id', async () => {
  const limits = [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 20 }];
  const { body: key } = await gateway.api('POST', '/api/api-keys', {
    name: 'ada@example.com',
    owner: 'ada@example.com',
    limits,
  });
  await gateway.set({ api_key_auth_enabled: true });
  await (await gateway.ask(validRequest, { headers: { authorization: `Bearer ${key.key}` } })).text();
  await vi.waitFor(async () => {
    const now = await scrape(gateway.url);
    expect(now.sum('svc_limits_near', { level: 'key', percent: '80' })).toBe(1);
    expect(now.samples('svc_key_limit_used_ratio').map(({ labels }) => labels)).toEqual([{ key: key.id }]);
  }, waitOptions);
  await gateway.set({ api_key_auth_enabled: false });
});

test('no metric grows with models, paths, methods, clients, conversations and keys that clients invent', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  let name = '';
  const send = async (method: string, path: string, body?: string) => {
    const headers = {
      'user-agent': `${name}@example.com`,
      originator: name,
      'session-id': name,
      traceparent: name,
      authorization: `Bearer sk-svc-${name}`,
    };
    const sent = request(gateway.url + path, { method, agent, headers });
    sent.end(body);
    const [response] = await once(sent, 'response');
    response.resume();
    await once(response, 'end');
  };
  const attack = async (index: number) => {
    name = `invented-${index}`;
    const socket = await openStrictSocket(`${gateway.url}${ROUTE}`);
    await socket.create({ ...validRequest, model: name });
    await socket.leave();
    await send('POST', '/v1/responses', JSON.stringify({ model: `invented-${index}@example.com`, input: '' }));
    await send('GET', `/v1/models/invented-${index}`);
    await send('GET', `/v1/invented/${index}`);
    await send('GET', `/api/requests/invented-${index}/explain`);
    await send('PROPFIND', `/invented/${index}`);
  };
  const seriesOf = ({ text }: Scraped) =>
    text
      .split('\n')
      .filter((line) => line.startsWith('svc_'))
      .map((line) => line.slice(0, line.lastIndexOf(' ')));
  await attack(0);
  await vi.waitFor(
    async () => expect((await scrape(gateway.url)).samples('svc_account_failure_ratio')).not.toEqual([]),
    waitOptions,
  );
  const first = await scrape(gateway.url);
  for (let index = 1; index < 20; index += 1) await attack(index);
  await expectGrowth(REQUESTS, { model: 'other' }, 40);
  const last = await scrape(gateway.url);
  const known = new Set(seriesOf(first));
  // The accounts take turns, so one of them may be seen later than the other.
  const added = seriesOf(last).filter((line) => !known.has(line) && !line.startsWith('svc_account_'));
  expect(added).toEqual([]);
  expect(seriesOf(last).filter((line) => line.startsWith('svc_account_')).length).toBeLessThan(20);
  expect(last.text).not.toMatch(/invented|example\.com|sk-svc|PROPFIND/);
});

test('has names of svc only, and one that ends in requests_total', async () => {
  const { names } = await scrape(gateway.url);
  expect(names.filter((name) => !name.startsWith('svc_'))).toEqual([]);
  expect(names.filter((name) => name.endsWith('requests_total'))).toEqual([REQUESTS]);
});

test('docs/operation.md names every metric, and none that does not exist', async () => {
  const { names } = await scrape(gateway.url);
  const page = readFileSync(new URL('../../docs/operation.md', import.meta.url), 'utf8');
  const table = page.slice(page.indexOf('| Metric |'), page.indexOf('**Labels come from'));
  const documented = new Set(Array.from(table.matchAll(/`(svc_\w+)`/g), ([, name]) => name));
  expect([...documented].sort()).toEqual([...names].sort());
});
