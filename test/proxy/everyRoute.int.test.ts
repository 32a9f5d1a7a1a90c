import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ProxyRoute, proxyRoutes } from '../../src/proxy/routes/routes.ts';
import { type Gateway, startGateway, validRequest } from '../support/gateway.ts';
import type { ScriptQueue } from '../support/provider/responseScript.ts';
import { noResponse, serverError } from '../support/provider/scripts.ts';

// All routes share one admission and one exchange; each test runs on all of them.

const { model } = validRequest;
const TRANSCRIBER = 'gpt-4o-transcribe';

interface Case {
  /** A valid request. */
  readonly body?: () => unknown;
  /** The script queue of an account that responds. */
  readonly queue?: 'responses' | 'compact' | 'transcribe';
  readonly model?: string;
  /** Set when the path has a parameter. */
  readonly path?: string;
}

const recording = (fields: Record<string, string>) => () => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new Blob(['sound']), 'a.wav');
  return form;
};
const chat = { model, messages: [{ role: 'user', content: 'hi' }] };

/** Every route has an entry. */
const cases: Readonly<Record<string, Case>> = {
  '/backend-api/svc/responses': { body: () => validRequest, queue: 'responses' },
  '/v1/responses': { body: () => ({ model, input: 'hi' }), queue: 'responses' },
  '/v1/chat/completions': { body: () => chat, queue: 'responses' },
  '/backend-api/svc/responses/compact': { body: () => validRequest, queue: 'compact' },
  '/v1/responses/compact': { body: () => ({ model, input: 'hi' }), queue: 'compact' },
  '/backend-api/transcribe': { body: recording({}), queue: 'transcribe', model: TRANSCRIBER },
  '/v1/audio/transcriptions': {
    body: recording({ model: TRANSCRIBER }),
    queue: 'transcribe',
    model: TRANSCRIBER,
  },
  '/backend-api/svc/models': {},
  '/v1/models': {},
  '/v1/models/{id}': { path: '/v1/models/gpt-5.5' },
  '/api/svc/usage': {},
  '/backend-api/svc/wham/usage': {},
  '/backend-api/wham/accounts/check': {},
  '/backend-api/svc/wham/accounts/check': {},
  '/backend-api/wham/config/bundle': {},
  '/backend-api/svc/wham/config/bundle': {},
  '/backend-api/wham/config/requirements': {},
  '/backend-api/svc/wham/config/requirements': {},
};

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({
    accounts: 2,
    env: { FIREWALL_TRUST_PROXY_HEADERS: 'true', FIREWALL_TRUSTED_PROXY_CIDRS: '127.0.0.1' },
  });
});
afterAll(() => gateway.stop());

test('tests every route of the proxy', () => expect(Object.keys(cases).sort()).toEqual([...proxyRoutes.keys()].sort()));

const isReadOnly = ({ method }: ProxyRoute) => method === 'GET';
const isPublic = ({ path }: ProxyRoute) => path === '/api/svc/usage';
/** Routes that Codex asks with its own sign-in: they need a place on the allowlist and no key. */
const isWithoutKey = ({ path }: ProxyRoute) => path.startsWith('/backend-api/wham/');
const routes = [...proxyRoutes.values()];
const modelRoutes = routes.filter((route) => !isReadOnly(route)).map(({ path }) => path);
const closedRoutes = routes.filter((route) => !isPublic(route)).map(({ path }) => path);
const keyedRoutes = routes.filter((route) => !isPublic(route) && !isWithoutKey(route)).map(({ path }) => path);
const readOnlyRoutes = routes.filter(isReadOnly).map(({ path }) => path);

interface AskOptions {
  key?: string;
  signal?: AbortSignal;
  /** The address of the client; this machine when absent. */
  from?: string;
}
function ask(route: string, { key, signal, from }: AskOptions = {}): Promise<Response> {
  const { body, path = route } = cases[route] ?? {};
  const content = body?.();
  return fetch(gateway.url + path, {
    method: body ? 'POST' : 'GET',
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(from !== undefined && { 'x-forwarded-for': from }),
      ...(body && !(content instanceof FormData) && { 'content-type': 'application/json' }),
    },
    ...(content !== undefined && { body: content instanceof FormData ? content : JSON.stringify(content) }),
    ...(signal && { signal }),
  });
}
const modelOf = (route: string) => cases[route]?.model ?? model;
const queueOf = (account: number, route: string): ScriptQueue => {
  const { at } = gateway.pool[account] as Gateway['pool'][number];
  return at[cases[route]?.queue ?? 'responses'];
};

/** Creates a key. */
async function key(fields: object = {}): Promise<{ id: string; key: string }> {
  const { body } = await gateway.api('POST', '/api/api-keys', { name: 'a key', ...fields });
  return body;
}
async function limitOf(id: string) {
  const { body } = await gateway.api('GET', '/api/api-keys');
  return body.find((found: { id: string }) => found.id === id).limits[0];
}
const codeOf = async (response: Response) => ((await response.json()) as { error: { code: string } }).error.code;
const callsToProvider = () => gateway.provider.received.filter(({ method }) => method === 'POST').length;
/** The events that completed or refused the request of a response. */
function eventsOf(response: Response) {
  const id = response.headers.get('x-request-id');
  return [...gateway.events('RequestCompleted'), ...gateway.events('RequestRefused')]
    .map(({ type, data }) => ({ type, ...data }))
    .filter(({ requestId }) => requestId === id);
}
const rowsOf = async (response: Response) =>
  gateway.logs(`?search=${response.headers.get('x-request-id')}`) as Promise<Record<string, unknown>[]>;

describe('while nothing restricts who may use the proxy', () => {
  test.each(closedRoutes)('%s refuses other machines without calling the provider', async (route) => {
    const before = callsToProvider();
    const response = await ask(route, { from: '203.0.113.7' });
    expect([response.status, await codeOf(response)]).toEqual([403, 'remote_access_disabled']);
    expect(callsToProvider()).toBe(before);
    expect(eventsOf(response)).toEqual([]);
  });

  test('the usage is public', async () =>
    expect((await ask('/api/svc/usage', { from: '203.0.113.7' })).status).toBe(200));
});

describe('with an allowlist', () => {
  beforeAll(async () => {
    await gateway.api('POST', '/api/firewall/ips', { ip_address: '10.9.8.7' });
  });
  afterAll(async () => {
    await gateway.api('DELETE', '/api/firewall/ips/10.9.8.7');
  });

  test.each(closedRoutes)('%s refuses an unlisted client without calling the provider', async (route) => {
    const before = callsToProvider();
    const response = await ask(route);
    expect([response.status, await codeOf(response)]).toEqual([403, 'ip_forbidden']);
    expect(callsToProvider()).toBe(before);
    expect(eventsOf(response)).toEqual([]);
  });

  test('the usage is public', async () => expect((await ask('/api/svc/usage')).status).toBe(200));
});

test.each(readOnlyRoutes)('%s leaves query parameters to the client', async (route) => {
  const path = `${cases[route]?.path ?? route}?client_version=0.169.0&nonsense`;
  expect((await fetch(`${gateway.url}${path}`)).status).toBe(200);
});

describe('while keys are required', () => {
  beforeAll(async () => {
    await gateway.set({ api_key_auth_enabled: true });
  });

  test.each(keyedRoutes)('%s requires a valid key', async (route) => {
    const before = callsToProvider();
    for (const wrong of [{}, { key: `sk-svc-${'0'.repeat(48)}` }]) {
      const response = await ask(route, wrong);
      expect([response.status, await codeOf(response)]).toEqual([401, 'invalid_api_key']);
      expect(eventsOf(response)).toEqual([]);
    }
    expect(callsToProvider()).toBe(before);
    const response = await ask(route, await key());
    await response.text();
    expect(response.status).toBe(200);
  });

  test.each(modelRoutes)('%s refuses a model that the key may not use and logs it once', async (route) => {
    const before = callsToProvider();
    const response = await ask(route, await key({ allowed_models: ['another'] }));
    expect([response.status, await codeOf(response)]).toEqual([403, 'model_not_allowed']);
    expect(callsToProvider()).toBe(before);
    expect(eventsOf(response)).toMatchObject([
      { type: 'RequestRefused', route, model: modelOf(route), errorCode: 'model_not_allowed' },
    ]);
    expect(await rowsOf(response)).toMatchObject([{ status: '403', model: modelOf(route), account_id: null }]);
  });

  test.each(['/backend-api/svc/models', '/v1/models'])('%s lists only the models of the key', async (route) => {
    const response = await ask(route, await key({ allowed_models: ['gpt-5.5'] }));
    expect(await response.json()).toMatchObject({ data: [{ id: 'gpt-5.5' }] });
  });

  test('/v1/models/{id} finds only the models of the key', async () =>
    expect((await ask('/v1/models/{id}', await key({ allowed_models: ['another'] }))).status).toBe(404));

  test.each(modelRoutes)('%s settles the usage and refuses when a limit is used up', async (route) => {
    const limits = [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 1 }];
    const limited = await key({ limits });
    const first = await ask(route, limited);
    await first.text();
    expect(first.status).toBe(200);
    const [completed, ...others] = eventsOf(first);
    expect(others).toEqual([]);
    expect(completed).toMatchObject({
      type: 'RequestCompleted',
      route,
      model: modelOf(route),
      status: '200',
      keyId: limited.id,
      accountId: gateway.pool[0]?.id,
      admission: { estimate: { inputTokens: expect.any(Number) } },
      usage: { inputTokens: expect.any(Number) },
      attempts: [{ outcome: 'ok', accountId: gateway.pool[0]?.id }],
    });
    const [row] = await rowsOf(first);
    expect(row).toMatchObject({ status: '200', model: modelOf(route), tokens: expect.any(Number) });
    expect(await limitOf(limited.id)).toMatchObject({ current_value: row?.tokens, reserved_value: 0 });

    const before = callsToProvider();
    const second = await ask(route, limited);
    expect([second.status, await codeOf(second)]).toEqual([429, 'rate_limit_exceeded']);
    expect(callsToProvider()).toBe(before);
    expect(eventsOf(second)).toMatchObject([{ type: 'RequestRefused', route, limit: { ceiling: 1 } }]);
    expect(await rowsOf(second)).toMatchObject([{ status: '429', error_code: 'rate_limit_exceeded' }]);
  });

  test.each(modelRoutes)('%s retries on another account', async (route) => {
    queueOf(0, route).next(serverError());
    const response = await ask(route, await key());
    await response.text();
    expect(response.status).toBe(200);
    expect(eventsOf(response)).toMatchObject([
      { accountId: gateway.pool[1]?.id, attempts: [{ outcome: 'provider_error' }, { outcome: 'ok' }] },
    ]);
    // The first account has recovered before the next route uses it.
    const state = async () => (await gateway.availability(gateway.pool[0]?.id ?? '')).state;
    await expect.poll(state, { timeout: 10_000 }).toBe('available');
    await (await ask(route, await key())).text();
  });

  test.each(modelRoutes)('%s ends the call to the provider when the client disconnects', async (route) => {
    const limits = [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 1_000_000 }];
    const limited = await key({ limits });
    queueOf(0, route).next(noResponse());
    const before = gateway.provider.received.length;
    const controller = new AbortController();
    const response = ask(route, { ...limited, signal: controller.signal });
    await gateway.provider.until(() => gateway.provider.received.length > before);
    controller.abort();
    await expect(response).rejects.toThrow();
    await gateway.provider.until(() => gateway.provider.received.at(-1)?.ended === true);
    expect(gateway.provider.received.at(-1)).toMatchObject({ aborted: true, finished: false });
    const disconnected = () => gateway.events('RequestCompleted').filter(({ data }) => data.keyId === limited.id);
    await expect.poll(() => disconnected().length).toBe(1);
    expect(disconnected()[0]?.data).toMatchObject({ route, status: 'error', errorCode: 'client_disconnected' });
    await expect.poll(() => limitOf(limited.id)).toMatchObject({ reserved_value: 0 });
    expect(await gateway.availability(gateway.pool[0]?.id ?? '')).toMatchObject({ state: 'available' });
  });

  test.each(readOnlyRoutes)('%s calls no account and logs nothing', async (route) => {
    const before = callsToProvider();
    const response = await ask(route, await key());
    await response.text();
    expect(response.status).toBe(200);
    expect(callsToProvider()).toBe(before);
    expect(eventsOf(response)).toEqual([]);
    expect(await rowsOf(response)).toEqual([]);
  });
});
