import { describe, expect, test, vi } from 'vitest';
import { type Gateway, type GatewayOptions, validRequest } from '../support/gateway.ts';
import { gateways } from '../support/gateways.ts';
import { fullResponse, json } from '../support/provider/http.ts';
import {
  accessTokenRefused,
  connectionReset,
  noResponse,
  type ResponseScript,
  requestRefused,
  serverError,
  textResponse,
  usageLimitReached,
} from '../support/provider/scripts.ts';
import { waitOptions } from '../support/waitOptions.ts';

const gatewayFor = gateways();
let gateway: Gateway;
const start = async (options: GatewayOptions = {}) => {
  gateway = await gatewayFor(options);
};

const SVC = '/backend-api/svc/responses/compact';
const PATHS = [SVC, '/v1/responses/compact', '/backend-api/codex/responses/compact'];
const { stream: _, store: __, ...conversation } = validRequest;

const compact = (body: object = conversation, path = SVC, headers = {}) => gateway.ask(body, { path, headers });
const atProvider = () => gateway.provider.received.filter(({ path }) => path.endsWith('/codex/responses/compact'));
const completed = () => gateway.events('RequestCompleted').map(({ data }) => data);

describe('a compaction', () => {
  test.each(PATHS)('returns one JSON object on %s and counts its tokens', async (path) => {
    await start();
    const response = await compact(conversation, path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    const body = (await response.json()) as { usage: { total_tokens: number } };
    expect(body).toMatchObject({ id: expect.any(String), object: 'response.compaction', status: 'completed' });
    expect(body).toMatchObject({ output: [{ type: 'compaction', encrypted_content: expect.any(String) }] });
    expect(completed()).toMatchObject([
      { status: '200', usage: { isEstimated: false }, attempts: [{ outcome: 'ok' }] },
    ]);
    expect(completed()[0]?.costMicroDollars).toBeGreaterThan(0);
    expect(await gateway.logs()).toMatchObject([
      { status: '200', tokens: body.usage.total_tokens, route: path.replace('codex', 'svc'), model: 'gpt-5.1' },
    ]);
  });

  test('sends the provider an acceptable body and asks for JSON', async () => {
    await start();
    const input = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'hi' },
      { type: 'item_reference' },
    ];
    const body = { model: 'gpt-5.1', input, stream: true, store: false, temperature: 1, tools: [], x: [1.5] };
    expect((await compact(body, '/v1/responses/compact')).status).toBe(200);
    const [received] = atProvider();
    expect(received?.json).toEqual({
      model: 'gpt-5.1',
      input: [
        { role: 'developer', content: 'Be brief.' },
        { role: 'user', content: 'hi' },
      ],
      tools: [],
      x: [1.5],
    });
    expect(received?.headers.accept).toBe('application/json');
  });

  test('relays the response byte for byte and adds only missing documented fields', async () => {
    await start();
    const body = '{ "id":"cmp_1","output":[], "x":1e2 }';
    gateway.pool[0]?.at.compact.always(fullResponse(200, 'application/json', body));
    const missing = '"object":"response.compaction","status":"completed",';
    expect(await (await compact()).text()).toBe(`{${missing} "id":"cmp_1","output":[], "x":1e2 }`);
  });

  test('uses the account of its conversation', async () => {
    await start({ accounts: 3 });
    await gateway.set({ routing_strategy: 'round_robin' });
    const thread = { prompt_cache_key: 'thread' };
    await (await gateway.ask({ ...validRequest, ...thread })).text();
    for (let index = 0; index < 3; index++) {
      await (await gateway.ask({ ...validRequest, prompt_cache_key: `other ${index}` })).text();
      expect((await compact({ ...conversation, ...thread })).status).toBe(200);
    }
    const [first] = gateway.provider.received.filter(({ path }) => path.endsWith('/codex/responses'));
    expect(atProvider().map(({ account }) => account)).toEqual(Array(3).fill(first?.account));
  });

  test('counts against the limits of its key, which can refuse it', async () => {
    await start();
    const limits = [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 20 }];
    const { body: key } = await gateway.api('POST', '/api/api-keys', { name: 'limited', limits });
    await gateway.set({ api_key_auth_enabled: true });
    const headers = { authorization: `Bearer ${key.key}` };
    expect((await compact(conversation, SVC, headers)).status).toBe(200);
    const refused = await compact(conversation, SVC, headers);
    expect([refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([
      429,
      'rate_limit_exceeded',
    ]);
  });
});

describe('a failed compaction', () => {
  test.each<[string, ResponseScript, string]>([
    ['its window is used up', usageLimitReached(), 'usage_limit'],
    ['it fails', serverError({ body: 'html' }), 'provider_error'],
    ['the connection is reset', connectionReset(), 'unreachable'],
    ['it responds with a page', fullResponse(200, 'text/html', '<html>'), 'not_json'],
    ['it responds with a stream', textResponse(), 'not_json'],
    ['it responds with incomplete JSON', fullResponse(200, 'application/json', '{"id":'), 'provider_error'],
    ['it responds with an empty body', fullResponse(200, 'application/json', ''), 'cut'],
    ['it responds with a failure', json(200, { status: 'failed', error: { code: 'server_error' } }), 'provider_error'],
  ])('goes to another account when %s', async (_what, script, outcome) => {
    await start({ accounts: 2 });
    const [first, second] = gateway.pool;
    first?.at.compact.always(script);
    const response = await compact();
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ output: [{ type: 'compaction' }] });
    expect(completed()[0]?.attempts).toMatchObject([
      { accountId: first?.id, outcome },
      { accountId: second?.id, outcome: 'ok' },
    ]);
  });

  test('is repeated with a new token after a 401', async () => {
    await start();
    gateway.pool[0]?.at.compact.next(accessTokenRefused());
    expect((await compact()).status).toBe(200);
    expect(completed()[0]?.attempts).toMatchObject([{ outcome: 'unauthorized' }, { outcome: 'ok', isRepeat: true }]);
  });

  test('responds with 502 without another account', async () => {
    await start();
    gateway.pool[0]?.at.compact.always(fullResponse(200, 'text/html', '<html>'));
    const response = await compact();
    expect(response.status).toBe(502);
    expect(await response.json()).toEqual({
      error: { message: 'Upstream error', type: 'server_error', code: 'upstream_error' },
    });
    expect(await gateway.logs()).toMatchObject([{ status: '502', tokens: null, error_code: 'upstream_error' }]);
  });
});

describe('relays after one attempt that the provider', () => {
  test.each<[string, ResponseScript, number, object]>([
    [
      'does not implement compaction',
      json(501, { error: { message: 'No compaction here', type: 'server_error', code: 'not_implemented' } }),
      501,
      { message: 'No compaction here', type: 'server_error', code: 'not_implemented' },
    ],
    [
      'does not implement compaction, without a message',
      fullResponse(501, 'text/plain', ''),
      501,
      { message: 'Not implemented', type: 'server_error', code: 'not_implemented' },
    ],
    [
      'rejects the request',
      requestRefused({ shape: 'error' }),
      400,
      { code: 'context_length_exceeded', param: 'input' },
    ],
  ])('%s', async (_what, script, status, error) => {
    await start({ accounts: 2 });
    for (const { at } of gateway.pool) at.compact.always(script);
    const response = await compact();
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error });
    expect(atProvider()).toHaveLength(1);
    expect(await gateway.logs()).toMatchObject([{ status: String(status) }]);
  });
});

test.each([
  ['no instructions', SVC, { ...conversation, instructions: undefined }, 'instructions'],
  ['no input', '/v1/responses/compact', { model: 'gpt-5.1' }, 'input'],
  ['an unsupported tool', SVC, { ...conversation, tools: [{ type: 'file_search' }] }, 'tools.0.type'],
])('rejects %s on %s without calling the provider', async (_what, path, body, param) => {
  await start();
  const response = await compact(body, path);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { code: 'invalid_request_error', param } });
  expect(atProvider()).toEqual([]);
  expect(await gateway.logs()).toMatchObject([{ status: '400', route: path }]);
});

test('ends the call to the provider when the client disconnects', async () => {
  await start();
  gateway.pool[0]?.at.compact.always(noResponse());
  const controller = new AbortController();
  const response = gateway.ask(conversation, { path: SVC, signal: controller.signal });
  response.catch(() => undefined);
  await vi.waitUntil(() => atProvider().length > 0, waitOptions);
  controller.abort();
  await vi.waitUntil(() => atProvider()[0]?.aborted && completed().length > 0, waitOptions);
  expect(completed()).toMatchObject([{ status: 'error', errorCode: 'client_disconnected' }]);
});
