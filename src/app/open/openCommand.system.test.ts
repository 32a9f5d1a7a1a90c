import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Gateway, startGateway, validRequest } from '../../../test/support/gateway.ts';
import { temporaryFolder } from '../../../test/support/management.ts';
import { serverError, textResponse, usageLimitReached } from '../../../test/support/provider/scripts.ts';
import { type OpenedBundle, openBundle, parseOpenArguments } from './openCommand.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
const SOON = { timeout: 60_000, interval: 50 };

let gateway: Gateway;
let opened: OpenedBundle;
let file: string;
let key: { id: string; key: string };
/** Of requests in the period of the bundle. */
const requests: string[] = [];
let before: number;
let last: number;
const printed: string[] = [];
const cleanups: (() => unknown)[] = [];

beforeAll(async () => {
  gateway = await startGateway({ accounts: 3 });
  const limits = [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 100_000 }];
  key = (await gateway.api('POST', '/api/api-keys', { name: 'agents', limits })).body;
  await gateway.set({ api_key_auth_enabled: true });
  // What happened before the period counts in it: a counter, a used-up limit, a cool-down.
  gateway.pool[0]?.at.next(usageLimitReached({ resetsInSeconds: 600 }));
  gateway.pool[1]?.at.next(serverError());
  for (const { at } of gateway.pool) at.always(textResponse({ usage: USAGE }));
  for (let count = 0; count < 3; count += 1) await ask();
  await new Promise((resolve) => setTimeout(resolve, 20));
  before = await head();
  const since = new Date().toISOString();
  for (let count = 0; count < 3; count += 1) requests.push(await ask({ prompt_cache_key: 'thread' }));
  await gateway.api('PATCH', `/api/api-keys/${key.id}`, { name: 'agents of the incident' });
  requests.push(await ask());
  last = await head();
  const { body: job } = await gateway.api('POST', '/api/evidence', { since });
  const done = await vi.waitFor(async () => {
    const { body } = await gateway.api('GET', `/api/jobs/${job.id}`);
    expect(body.state, JSON.stringify(body)).toBe('done');
    return body;
  }, SOON);
  file = join(
    temporaryFolder((cleanup) => void cleanups.push(cleanup)),
    'incident.zip',
  );
  writeFileSync(file, Buffer.from(await (await fetch(gateway.url + done.result.path)).arrayBuffer()));
  opened = await openBundle({ file, port: 0 }, { ...io(), hasDashboard: false });
});

afterAll(async () => {
  await opened?.close();
  await gateway?.stop();
  for (const cleanup of cleanups) await cleanup();
});

const USAGE = { inputTokens: 40, cachedTokens: 10, outputTokens: 30, reasoningTokens: 5 };
const io = () => ({
  print: (line: string) => void printed.push(line),
  printError: (line: string) => void printed.push(line),
});
/** What only the vault of the service opens is not in a bundle. */
const withoutSealed = ({ email: _, display_name: __, auth, ...account }: Record<string, unknown>) => ({
  ...account,
  auth: { ...(auth as object), id_token: undefined },
});
const head = async (): Promise<number> => (await gateway.api('GET', '/api/status')).body.events.position;

async function ask(fields: object = {}): Promise<string> {
  const response = await gateway.ask(
    { ...validRequest, ...fields },
    { headers: { authorization: `Bearer ${key.key}` } },
  );
  await response.text();
  return response.headers.get('x-request-id') ?? '';
}

// biome-ignore lint/suspicious/noExplicitAny: a test may read any field
async function get(path: string): Promise<{ status: number; body: any }> {
  const response = await fetch(opened.url + path);
  return { status: response.status, body: await response.json() };
}

test('says what holds of the bundle before it is served', () => {
  expect(printed[0]).toMatch(/^The bundle verifies: all events from position \d+ to \d+ of svc\//);
  expect(printed.join('\n')).toMatch(/The state up to position \d+ is a statement of its maker/);
});

test('shows what the API showed, at every position within the bundle', async () => {
  for (let at = before + 1; at <= last; at += 1) {
    for (const path of ['/api/api-keys', '/api/settings', '/api/firewall/ips', '/api/holds']) {
      const [there, here] = [await gateway.api('GET', `${path}?at=${at}`), await get(`${path}?at=${at}`)];
      expect([at, path, here.body]).toEqual([at, path, there.body]);
    }
    const [there, here] = [await gateway.api('GET', `/api/accounts?at=${at}`), await get(`/api/accounts?at=${at}`)];
    expect([at, here.body.accounts.map(withoutSealed)]).toEqual([at, there.body.accounts.map(withoutSealed)]);
  }
  const { body } = await get('/api/api-keys');
  expect(body[0].limits[0].current_value).toBe(70 * 7);
});

test('lists the requests and the history of the bundle', async () => {
  await vi.waitFor(async () => {
    const { body } = await get('/api/request-logs');
    expect(body.requests.map((row: { request_id: string }) => row.request_id)).toEqual(requests.toReversed());
  }, SOON);
  const { body } = await get(`/api/history/${last}`);
  const there = await gateway.api('GET', `/api/history/${last}`);
  expect(body).toMatchObject({
    position: last,
    type: there.body.type,
    hash: there.body.hash,
    sentence: there.body.sentence,
  });
  expect((await get(`/api/blame/apiKey-${key.id}`)).body.fields).toContainEqual(
    expect.objectContaining({ path: '/name', value: 'agents of the incident', type: 'ApiKeyRenamed' }),
  );
});

test('explains the requests of the incident as the service does', async () => {
  for (const id of requests) {
    const [there, here] = [
      await gateway.api('GET', `/api/requests/${id}/explain`),
      await get(`/api/requests/${id}/explain`),
    ];
    expect(here.status, JSON.stringify(here.body)).toBe(200);
    // Digests of conversations are not in a bundle, and neither are events of before.
    const known = ({ pin: _, events: __, ...explained }: Record<string, unknown>) =>
      JSON.parse(JSON.stringify(explained), (name, value) =>
        name === 'since_position' || name === 'by_request_id' || name === 'since' ? undefined : value,
      );
    expect(known(here.body)).toEqual(known(there.body));
  }
});

test('repeats every decision of the incident', async () => {
  const started = await fetch(`${opened.url}/api/replays`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  expect(started.status).toBe(202);
  const { id } = (await started.json()) as { id: string };
  const { result } = await vi.waitFor(async () => {
    const { body } = await get(`/api/jobs/${id}`);
    expect(body.state, JSON.stringify(body)).toBe('done');
    return body;
  }, SOON);
  expect(result).toMatchObject({ requests: requests.length, differences: 0 });
  expect(result.repeated).toBeGreaterThanOrEqual(requests.length * 2);
});

test('refuses writes, moments outside of the bundle, and model requests', async () => {
  const write = await fetch(`${opened.url}/api/accounts/${gateway.pool[0]?.id}/pause`, { method: 'POST' });
  expect([write.status, ((await write.json()) as { error: { code: string } }).error.code]).toEqual([403, 'read_only']);
  const early = await get('/api/settings?at=1');
  expect([early.status, early.body.error.message]).toEqual([400, expect.stringContaining('lies before the bundle')]);
  const event = await get('/api/history/1');
  expect(event.body.error.message).toMatch(/^position lies before the bundle/);
  expect((await get(`/api/settings?at=${last + 1_000}`)).status).toBe(400);
  expect((await fetch(`${opened.url}/v1/responses`, { method: 'POST', body: '{}' })).status).toBe(403);
  expect((await get('/api/status')).body.opened_bundle).toBe('incident.zip');
});

test('refuses a file that was changed, and leaves nothing behind', async () => {
  const bytes = readFileSync(file);
  bytes[Math.floor(bytes.length / 2)] = (bytes[Math.floor(bytes.length / 2)] as number) ^ 1;
  const forged = join(temporaryFolder(), 'forged.zip');
  writeFileSync(forged, bytes);
  await expect(openBundle({ file: forged, port: 0 }, io())).rejects.toThrow('does not verify');
  const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('svc-open-'));
  const count = folders().length;
  const another = await openBundle({ file, port: 0 }, { ...io(), hasDashboard: false });
  await another.close();
  expect(folders().length).toBeLessThanOrEqual(count);
  await expect(openBundle({ file: `${file}.gone`, port: 0 }, io())).rejects.toThrow('is not a file: name a bundle');
  const port = Number(new URL(opened.url).port);
  const onTakenPort = openBundle({ file, port }, { ...io(), hasDashboard: false });
  await expect(onTakenPort).rejects.toThrow(`127.0.0.1:${port} is already in use`);
  await expect(onTakenPort).rejects.toThrow('set --port to another port');
  expect(() => parseOpenArguments([])).toThrow('BUNDLE is missing.');
  expect(() => parseOpenArguments([file, '--port', '70000'])).toThrow('--port must be a number up to 65535');
});
