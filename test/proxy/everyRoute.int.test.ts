import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ProxyRoute, proxyRoutes } from '../../src/proxy/routes/routes.ts';
import { acceptable, type Gateway, startGateway } from '../support/gateway.ts';
import type { Playlist } from '../support/provider/responseScript.ts';
import { neverAnswers, serverError } from '../support/provider/scripts.ts';

// One admission and one attempt engine for all routes: what holds for one holds for each.

const { model } = acceptable;
const TRANSCRIBER = 'gpt-4o-transcribe';

interface Case {
  /** How a client asks there. */
  readonly body?: () => unknown;
  /** Which of an account's scripts answers. */
  readonly answers?: 'responses' | 'compact' | 'transcribe';
  readonly model?: string;
  /** Where the path has a parameter. */
  readonly path?: string;
}

const recording = (fields: Record<string, string>) => () => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new Blob(['sound']), 'a.wav');
  return form;
};
const chat = { model, messages: [{ role: 'user', content: 'hi' }] };

/** A new route needs its line here. */
const cases: Readonly<Record<string, Case>> = {
  '/backend-api/svc/responses': { body: () => acceptable, answers: 'responses' },
  '/v1/responses': { body: () => ({ model, input: 'hi' }), answers: 'responses' },
  '/v1/chat/completions': { body: () => chat, answers: 'responses' },
  '/backend-api/svc/responses/compact': { body: () => acceptable, answers: 'compact' },
  '/v1/responses/compact': { body: () => ({ model, input: 'hi' }), answers: 'compact' },
  '/backend-api/transcribe': { body: recording({}), answers: 'transcribe', model: TRANSCRIBER },
  '/v1/audio/transcriptions': {
    body: recording({ model: TRANSCRIBER }),
    answers: 'transcribe',
    model: TRANSCRIBER,
  },
  '/backend-api/svc/models': {},
  '/v1/models': {},
  '/v1/models/{id}': { path: '/v1/models/gpt-5.5' },
  '/api/svc/usage': {},
};

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ accounts: 2 });
});
afterAll(() => gateway.stop());

test('every route of the proxy is in the table of this file', () =>
  expect(Object.keys(cases).sort()).toEqual([...proxyRoutes.keys()].sort()));

const isReading = ({ method }: ProxyRoute) => method === 'GET';
const isOpen = ({ kind }: ProxyRoute) => kind === 'usage';
const routes = [...proxyRoutes.values()];
const modelRoutes = routes.filter((route) => !isReading(route)).map(({ path }) => path);
const closedRoutes = routes.filter((route) => !isOpen(route)).map(({ path }) => path);
const readingRoutes = routes.filter(isReading).map(({ path }) => path);

interface Asking {
  key?: string;
  signal?: AbortSignal;
}
function ask(route: string, { key, signal }: Asking = {}): Promise<Response> {
  const { body, path = route } = cases[route] ?? {};
  const content = body?.();
  return fetch(gateway.url + path, {
    method: body ? 'POST' : 'GET',
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body && !(content instanceof FormData) && { 'content-type': 'application/json' }),
    },
    ...(content !== undefined && { body: content instanceof FormData ? content : JSON.stringify(content) }),
    ...(signal && { signal }),
  });
}
const modelOf = (route: string) => cases[route]?.model ?? model;
const playlist = (account: number, route: string): Playlist => {
  const { at } = gateway.pool[account] as Gateway['pool'][number];
  return at[cases[route]?.answers ?? 'responses'];
};

/** A key with these properties. */
async function key(fields: object = {}): Promise<{ id: string; key: string }> {
  const { body } = await gateway.api('POST', '/api/api-keys', { name: 'a key', ...fields });
  return body;
}
async function limitOf(id: string) {
  const { body } = await gateway.api('GET', '/api/api-keys');
  return body.find((found: { id: string }) => found.id === id).limits[0];
}
const codeOf = async (response: Response) => ((await response.json()) as { error: { code: string } }).error.code;
const askedProvider = () => gateway.provider.received.filter(({ method }) => method === 'POST').length;
/** What the log says of the request that an answer belongs to, whatever its end. */
function inLog(response: Response) {
  const id = response.headers.get('x-request-id');
  return [...gateway.events('RequestCompleted'), ...gateway.events('RequestRefused')]
    .map(({ type, data }) => ({ type, ...data }))
    .filter(({ requestId }) => requestId === id);
}
const rowsOf = async (response: Response) =>
  gateway.logs(`?search=${response.headers.get('x-request-id')}`) as Promise<Record<string, unknown>[]>;

describe('while an allowlist is there', () => {
  beforeAll(async () => {
    await gateway.api('POST', '/api/firewall/ips', { ip_address: '10.9.8.7' });
  });
  afterAll(async () => {
    await gateway.api('DELETE', '/api/firewall/ips/10.9.8.7');
  });

  test.each(closedRoutes)('%s turns away who is not on it, and asks nobody', async (route) => {
    const before = askedProvider();
    const response = await ask(route);
    expect([response.status, await codeOf(response)]).toEqual([403, 'ip_forbidden']);
    expect(askedProvider()).toBe(before);
    expect(inLog(response)).toEqual([]);
  });

  test('the usage is told to everybody', async () => expect((await ask('/api/svc/usage')).status).toBe(200));
});

describe('while keys are required', () => {
  beforeAll(async () => {
    await gateway.set({ api_key_auth_enabled: true });
  });

  test.each(closedRoutes)('%s turns away who has none or a wrong one, and lets in who has one', async (route) => {
    const before = askedProvider();
    for (const wrong of [{}, { key: `sk-svc-${'0'.repeat(48)}` }]) {
      const response = await ask(route, wrong);
      expect([response.status, await codeOf(response)]).toEqual([401, 'invalid_api_key']);
      expect(inLog(response)).toEqual([]);
    }
    expect(askedProvider()).toBe(before);
    const response = await ask(route, await key());
    await response.text();
    expect(response.status).toBe(200);
  });

  test.each(modelRoutes)('%s refuses a model that is not the key’s, in one row of the log', async (route) => {
    const before = askedProvider();
    const response = await ask(route, await key({ allowed_models: ['another'] }));
    expect([response.status, await codeOf(response)]).toEqual([403, 'model_not_allowed']);
    expect(askedProvider()).toBe(before);
    expect(inLog(response)).toMatchObject([
      { type: 'RequestRefused', route, model: modelOf(route), errorCode: 'model_not_allowed' },
    ]);
    expect(await rowsOf(response)).toMatchObject([{ status: '403', model: modelOf(route), account_id: null }]);
  });

  test.each(['/backend-api/svc/models', '/v1/models'])('%s lists only what is the key’s', async (route) => {
    const response = await ask(route, await key({ allowed_models: ['gpt-5.5'] }));
    expect(await response.json()).toMatchObject({ data: [{ id: 'gpt-5.5' }] });
  });

  test('/v1/models/{id} knows only what is the key’s', async () =>
    expect((await ask('/v1/models/{id}', await key({ allowed_models: ['another'] }))).status).toBe(404));

  test.each(modelRoutes)('%s settles what was used, and refuses when a limit is used up', async (route) => {
    const limits = [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 1 }];
    const limited = await key({ limits });
    const first = await ask(route, limited);
    await first.text();
    expect(first.status).toBe(200);
    const [completed, ...others] = inLog(first);
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

    const before = askedProvider();
    const second = await ask(route, limited);
    expect([second.status, await codeOf(second)]).toEqual([429, 'rate_limit_exceeded']);
    expect(askedProvider()).toBe(before);
    expect(inLog(second)).toMatchObject([{ type: 'RequestRefused', route, limit: { ceiling: 1 } }]);
    expect(await rowsOf(second)).toMatchObject([{ status: '429', error_code: 'rate_limit_exceeded' }]);
  });

  test.each(modelRoutes)('%s goes to another account when one fails', async (route) => {
    playlist(0, route).next(serverError());
    const response = await ask(route, await key());
    await response.text();
    expect(response.status).toBe(200);
    expect(inLog(response)).toMatchObject([
      { accountId: gateway.pool[1]?.id, attempts: [{ outcome: 'provider_error' }, { outcome: 'ok' }] },
    ]);
    // The first has cooled down, and done well again, before the next route needs it.
    const state = async () => (await gateway.availability(gateway.pool[0]?.id ?? '')).state;
    await expect.poll(state, { timeout: 10_000 }).toBe('available');
    await (await ask(route, await key())).text();
  });

  test.each(modelRoutes)('%s ends the call to the provider when its client is gone', async (route) => {
    const limits = [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 1_000_000 }];
    const limited = await key({ limits });
    playlist(0, route).next(neverAnswers());
    const before = gateway.provider.received.length;
    const leaving = new AbortController();
    const asked = ask(route, { ...limited, signal: leaving.signal });
    await gateway.provider.until(() => gateway.provider.received.length > before);
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await gateway.provider.until(() => gateway.provider.received.at(-1)?.ended === true);
    expect(gateway.provider.received.at(-1)).toMatchObject({ aborted: true, finished: false });
    const left = () => gateway.events('RequestCompleted').filter(({ data }) => data.keyId === limited.id);
    await expect.poll(() => left().length).toBe(1);
    expect(left()[0]?.data).toMatchObject({ route, status: 'error', errorCode: 'client_disconnected' });
    await expect.poll(() => limitOf(limited.id)).toMatchObject({ reserved_value: 0 });
    expect(await gateway.availability(gateway.pool[0]?.id ?? '')).toMatchObject({ state: 'available' });
  });

  test.each(readingRoutes)('%s asks no account and leaves no row', async (route) => {
    const before = askedProvider();
    const response = await ask(route, await key());
    await response.text();
    expect(response.status).toBe(200);
    expect(askedProvider()).toBe(before);
    expect(inLog(response)).toEqual([]);
    expect(await rowsOf(response)).toEqual([]);
  });
});
