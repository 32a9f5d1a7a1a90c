import { request as httpRequest } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { acceptable, type Gateway, type GatewayOptions } from '../support/gateway.ts';
import { gateways } from '../support/gateways.ts';
import { eventsIn } from '../support/provider/client.ts';
import {
  emptyOutputCompleted,
  incomplete,
  silenceAfter,
  stream,
  textAnswer,
  withVendorEvents,
} from '../support/provider/scripts.ts';

const gatewayFor = gateways();
let gateway: Gateway;
const start = async (options: GatewayOptions = {}) => {
  gateway = await gatewayFor(options);
};

const atProvider = () => gateway.provider.received.filter(({ path }) => path.endsWith('/codex/responses'));
const createKey = async (fields: Record<string, unknown> = {}) =>
  (await gateway.api('POST', '/api/api-keys', { name: 'a key', ...fields })).body;
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const errorOf = async (response: Response) => ((await response.json()) as { error: Record<string, unknown> }).error;

describe('compressed bodies', () => {
  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ] as const)('%s is decoded before it is read and forwarded as JSON', async (encoding, compress) => {
    await start();
    const body = compress(Buffer.from(JSON.stringify(acceptable)));
    const response = await gateway.ask(body, { headers: { 'content-encoding': encoding } });
    expect(response.status).toBe(200);
    await response.text();
    expect(atProvider()[0]?.json).toEqual(acceptable);
    expect(atProvider()[0]?.headers['content-encoding']).toBeUndefined();
  });
});

describe('what the provider gets', () => {
  test('is the body byte for byte when nothing has to change', async () => {
    await start();
    const odd = `{ "model":"gpt-5.1",\n "instructions":"\\u00e9", "input":[ {"role":"user","content":"hi"} ] ,"stream":true,"store":false,"x":1.0}`;
    await (await gateway.ask(odd)).text();
    expect(atProvider()[0]?.body.toString()).toBe(odd);
  });

  test('is rewritten where it would refuse: no system role, no sampling parameters, streamed and not stored', async () => {
    await start();
    const response = await gateway.ask(
      {
        model: 'gpt-5.1',
        input: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'hi' },
        ],
        temperature: 0.5,
        max_output_tokens: 32_000,
        metadata: { a: 'b' },
        service_tier: 'flex',
      },
      { path: '/v1/responses' },
    );
    expect(response.status).toBe(200);
    const { json } = atProvider()[0] ?? {};
    expect(json).toEqual({
      model: 'gpt-5.1',
      input: [
        { role: 'developer', content: 'Be brief.' },
        { role: 'user', content: 'hi' },
      ],
      service_tier: 'flex',
      stream: true,
      store: false,
    });
  });

  test('names the account and forwards only headers that are listed', async () => {
    await start();
    const headers = {
      originator: 'codex_exec',
      'session-id': 's1',
      'x-codex-window-id': 'w',
      'x-codex-installation-id': 'secret machine',
      'x-forwarded-for': '10.0.0.1',
      cookie: 'a=b',
      'x-custom': 'no',
    };
    await (await gateway.ask(acceptable, { headers })).text();
    const sent = atProvider()[0]?.headers ?? {};
    const [only] = gateway.pool;
    expect(sent).toMatchObject({ originator: 'codex_exec', 'session-id': 's1', 'x-codex-window-id': 'w' });
    expect(sent.authorization).toBe(`Bearer ${only?.at.tokens.current().accessToken}`);
    expect(sent['chatgpt-account-id']).toBe(only?.at.id);
    for (const name of ['x-codex-installation-id', 'x-forwarded-for', 'cookie', 'x-custom']) {
      expect(sent[name]).toBeUndefined();
    }
  });

  test('holds the item in place of a reference to it, and drops references that nobody knows', async () => {
    await start();
    const first = (await (await gateway.ask({ model: 'gpt-5.1', input: 'hi' }, { path: '/v1/responses' })).json()) as {
      output: { id: string }[];
    };
    const [item] = first.output;
    const input = [
      { type: 'item_reference', id: item?.id },
      { type: 'item_reference', id: 'msg_unknown' },
      { role: 'user', content: 'go on' },
    ];
    await (await gateway.ask({ model: 'gpt-5.1', input }, { path: '/v1/responses' })).text();
    expect(atProvider()[1]?.json).toMatchObject({ input: [item, { role: 'user', content: 'go on' }] });
  });
});

describe('/v1/responses without stream', () => {
  test('answers one response object, its items filled in when the ending has none', async () => {
    await start();
    gateway.pool[0]?.at.always(emptyOutputCompleted({ text: 'Filled in.' }));
    const response = await gateway.ask({ model: 'gpt-5.1', input: 'hi' }, { path: '/v1/responses' });
    expect(response.headers.get('content-type')).toContain('application/json');
    const body = (await response.json()) as { object: string; output: { content: { text: string }[] }[] };
    expect(body.object).toBe('response');
    expect(body.output[0]?.content[0]?.text).toBe('Filled in.');
  });

  test('an item of an answer that ended without its items can be referred to', async () => {
    await start();
    gateway.pool[0]?.at.next(emptyOutputCompleted({ text: 'Filled in.' }));
    const ask = (input: unknown) => gateway.ask({ model: 'gpt-5.1', input }, { path: '/v1/responses' });
    const { output } = (await (await ask('hi')).json()) as { output: { id: string }[] };
    await (
      await ask([
        { type: 'item_reference', id: output[0]?.id },
        { role: 'user', content: 'go on' },
      ])
    ).text();
    expect(atProvider()[1]?.json).toMatchObject({ input: [output[0], { role: 'user', content: 'go on' }] });
  });

  test('an incomplete answer is an answer: 200, and 200 in the log', async () => {
    await start();
    gateway.pool[0]?.at.always(incomplete());
    const response = await gateway.ask({ model: 'gpt-5.1', input: 'hi' }, { path: '/v1/responses' });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ status: 'incomplete' });
    expect(await gateway.logs()).toMatchObject([{ status: '200', error_code: null }]);
  });
});

test('a stream on /v1 ends with the items that the provider did not repeat; that of Codex stays as it came', async () => {
  await start();
  gateway.pool[0]?.at.always(emptyOutputCompleted({ text: 'Filled in.' }));
  const ending = async (path: string) => eventsIn(await (await gateway.ask(acceptable, { path })).text()).at(-1);
  expect(await ending('/v1/responses')).toMatchObject({
    event: 'response.completed',
    data: { response: { status: 'completed', output: [{ role: 'assistant', content: [{ text: 'Filled in.' }] }] } },
  });
  expect((await ending('/backend-api/svc/responses'))?.data.response.output).toEqual([]);
});

test('vendor events reach Codex and stay away from strict SDKs', async () => {
  await start();
  gateway.pool[0]?.at.always(withVendorEvents(textAnswer()));
  const types = async (path: string) =>
    eventsIn(await (await gateway.ask(acceptable, { path })).text()).map(({ event }) => event);
  expect(await types('/backend-api/svc/responses')).toContain('codex.rate_limits');
  const strict = await types('/v1/responses');
  expect(strict.filter((type) => type.startsWith('codex.'))).toEqual([]);
  expect(strict.at(-1)).toBe('response.completed');
});

describe('who may call', () => {
  test('while keys are not required, whatever is sent as a key is ignored', async () => {
    await start();
    expect((await gateway.ask(acceptable, { headers: bearer('dummy') })).status).toBe(200);
  });

  test('with keys required: none, a wrong, an inactive, an expired and a deleted one are 401, and nothing is asked', async () => {
    await start();
    const { key: inactive, id: inactiveId } = await createKey();
    const { key: expired } = await createKey({ expires_at: '2020-01-01T00:00:00Z' });
    const { key: deleted, id: deletedId } = await createKey();
    await gateway.api('PATCH', `/api/api-keys/${inactiveId}`, { is_active: false });
    await gateway.api('DELETE', `/api/api-keys/${deletedId}`);
    await gateway.set({ api_key_auth_enabled: true });
    for (const headers of [
      {},
      bearer(`sk-svc-${'0'.repeat(48)}`),
      bearer(inactive),
      bearer(expired),
      bearer(deleted),
    ]) {
      const response = await gateway.ask(acceptable, { headers });
      expect(response.status).toBe(401);
      expect(await errorOf(response)).toMatchObject({ code: 'invalid_api_key', type: 'authentication_error' });
    }
    expect(atProvider()).toEqual([]);
    expect(await gateway.logs()).toEqual([]);
  });

  test('a regenerated key works at once and the old value no longer', async () => {
    await start();
    const { key: old, id } = await createKey();
    await gateway.set({ api_key_auth_enabled: true });
    const { body } = await gateway.api('POST', `/api/api-keys/${id}/regenerate`);
    expect((await gateway.ask(acceptable, { headers: bearer(old) })).status).toBe(401);
    expect((await gateway.ask(acceptable, { headers: bearer(body.key) })).status).toBe(200);
  });

  test('a key that is deleted while its request arrives is refused, and nothing is asked', async () => {
    await start();
    const { key, id } = await createKey();
    await gateway.set({ api_key_auth_enabled: true });
    const body = JSON.stringify(acceptable);
    const headers = { ...bearer(key), 'content-length': body.length, expect: '100-continue' };
    const request = httpRequest(`${gateway.url}/backend-api/svc/responses`, { method: 'POST', headers });
    const answered = new Promise<number | undefined>((resolve, reject) => {
      request.on('response', (response) => resolve(response.resume().statusCode));
      request.on('error', reject);
    });
    // The key has been looked at when the body is asked for.
    await new Promise((resolve) => request.once('continue', resolve));
    await gateway.api('DELETE', `/api/api-keys/${id}`);
    request.end(body);
    expect(await answered).toBe(401);
    expect(atProvider()).toEqual([]);
  });

  test('a key without the model is refused, and the refusal is a row and an event', async () => {
    await start();
    const { key, id } = await createKey({ allowed_models: ['gpt-5.2'] });
    await gateway.set({ api_key_auth_enabled: true });
    const response = await gateway.ask(acceptable, { headers: bearer(key) });
    expect(response.status).toBe(403);
    expect(await errorOf(response)).toMatchObject({ code: 'model_not_allowed', type: 'permission_error' });
    expect(gateway.events('RequestRefused')[0]?.data).toMatchObject({ keyId: id, errorCode: 'model_not_allowed' });
    expect(await gateway.logs()).toMatchObject([{ status: '403', model: 'gpt-5.1', error_code: 'model_not_allowed' }]);
  });

  test('with an allowlist only listed addresses may call, and at once', async () => {
    await start();
    await gateway.api('POST', '/api/firewall/ips', { ip_address: '203.0.113.7' });
    const refused = await gateway.ask();
    expect(refused.status).toBe(403);
    expect(await errorOf(refused)).toMatchObject({ code: 'ip_forbidden', type: 'permission_error' });
    await gateway.api('POST', '/api/firewall/ips', { ip_address: '::ffff:127.0.0.1' });
    expect((await gateway.ask()).status).toBe(200);
  });

  test('behind a trusted proxy the forwarded address counts', async () => {
    await start({ env: { FIREWALL_TRUST_PROXY_HEADERS: 'true', FIREWALL_TRUSTED_PROXY_CIDRS: '127.0.0.0/8' } });
    await gateway.api('POST', '/api/firewall/ips', { ip_address: '203.0.113.7' });
    const from = (address: string) => gateway.ask(acceptable, { headers: { 'x-forwarded-for': address } });
    expect((await from('203.0.113.7, 10.0.0.1')).status).toBe(200);
    expect((await from('203.0.113.8')).status).toBe(403);
  });

  test('who is turned away is counted by address and minute', async () => {
    await start({ env: {} });
    await gateway.set({ api_key_auth_enabled: true });
    for (let index = 0; index < 3; index++) await (await gateway.ask()).text();
    await gateway.restart();
    expect(gateway.events('RefusalsCounted').map(({ data }) => data)).toMatchObject([
      { address: '127.0.0.1', keyId: null, counts: { invalid_api_key: 3 } },
    ]);
  });
});

describe('which account is asked', () => {
  const ask = async (fields: object = {}, headers = {}) => {
    await (await gateway.ask({ ...acceptable, ...fields }, { headers })).text();
    return atProvider().at(-1)?.account;
  };

  test('usage_weighted: the one with the most left', async () => {
    await start({ accounts: 3 });
    for (let index = 0; index < 5; index++) expect(await ask({ input: `${index}` })).toBe(gateway.pool[0]?.at.id);
  });

  test('round_robin: each in turn, whatever they have used', async () => {
    await start({ accounts: 3 });
    await gateway.set({ routing_strategy: 'round_robin', sticky_threads_enabled: false });
    const asked = [];
    for (let index = 0; index < 9; index++) asked.push(await ask());
    for (const { at } of gateway.pool) expect(asked.filter((id) => id === at.id)).toHaveLength(3);
  });

  test.each([
    ['prompt_cache_key', { prompt_cache_key: 'thread-1' }, {}],
    ['the session header', {}, { 'session-id': 'thread-1' }],
    ['the conversation', { conversation: 'thread-1' }, {}],
    ['the first input', {}, {}],
  ])('a conversation known by %s stays on its account', async (_what, fields, headers) => {
    await start({ accounts: 3 });
    await gateway.set({ routing_strategy: 'round_robin' });
    const first = await ask(fields, headers);
    for (let index = 0; index < 4; index++) {
      await ask({ input: `another ${index}`, prompt_cache_key: `other ${index}` });
      expect(await ask(fields, headers)).toBe(first);
    }
  });

  test('a conversation comes back to its account after a temporary fallback', async () => {
    await start({ accounts: 2 });
    const [home, other] = gateway.pool;
    expect(await ask({ prompt_cache_key: 't' })).toBe(home?.at.id);
    home?.at.next({ name: 'busy', steps: [{ head: 429 }, { bytes: '{}' }] });
    expect(await ask({ prompt_cache_key: 't' })).toBe(other?.at.id);
    await vi.waitUntil(async () => (await gateway.availability(home?.id ?? '')).state === 'available', {
      timeout: 3_000,
    });
    expect(await ask({ prompt_cache_key: 't' })).toBe(home?.at.id);
  });

  test('a paused account is not asked from the next request on, and its conversations move', async () => {
    await start({ accounts: 2 });
    const [home, other] = gateway.pool;
    expect(await ask({ prompt_cache_key: 't' })).toBe(home?.at.id);
    await gateway.api('POST', `/api/accounts/${home?.id}/pause`);
    expect(await ask({ prompt_cache_key: 't' })).toBe(other?.at.id);
    await gateway.api('POST', `/api/accounts/${home?.id}/reactivate`);
    expect(await ask({ prompt_cache_key: 't' })).toBe(other?.at.id);
  });

  test('without any account the answer is 503 no_accounts, in the log as well', async () => {
    await start({ accounts: 0 });
    const response = await gateway.ask();
    expect(response.status).toBe(503);
    expect(await errorOf(response)).toMatchObject({ code: 'no_accounts', type: 'server_error' });
    expect(await gateway.logs()).toMatchObject([{ status: '503', error_code: 'no_accounts', account_id: null }]);
  });
});

describe('the stream', () => {
  test('comes as it is made: the first events are there while the rest is not', async () => {
    await start();
    gateway.pool[0]?.at.always(silenceAfter({ events: 5 }));
    const controller = new AbortController();
    const response = await gateway.ask(acceptable, { signal: controller.signal });
    const { value } = (await response.body?.getReader().read()) ?? {};
    expect(Buffer.from(value ?? []).toString()).toContain('response.created');
    expect(response.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/);
    controller.abort();
  });

  test('is kept by nobody on the way, and brings what the provider wants to hear again', async () => {
    await start();
    const sent = {
      'content-type': 'text/event-stream',
      'x-codex-turn-state': 'turn_1',
      'x-reasoning-included': 'true',
    };
    gateway.pool[0]?.at.always({
      name: 'a turn',
      steps: [{ head: 200, headers: sent }, { bytes: 'data: {"type":"response.completed","response":{"id":"r"}}\n\n' }],
    });
    const { headers } = await gateway.ask();
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
      'x-codex-turn-state': 'turn_1',
      'x-reasoning-included': 'true',
    });
    await gateway.ask(acceptable, { headers: { 'x-codex-turn-state': 'turn_1' } });
    expect(atProvider().map(({ headers: got }) => got['x-codex-turn-state'])).toEqual([undefined, 'turn_1']);
  });

  test('lets go of a provider that does not end its stream after the answer', async () => {
    await start();
    const completed = {
      type: 'response.completed',
      response: { id: 'r', usage: { input_tokens: 1, output_tokens: 1 } },
    };
    gateway.pool[0]?.at.always(stream('never ends', () => [{ event: completed }, { hold: true }]));
    expect(eventsIn(await (await gateway.ask()).text()).at(-1)?.event).toBe('response.completed');
    await vi.waitUntil(() => atProvider()[0]?.aborted, { timeout: 10_000 });
    expect(gateway.events('RequestCompleted')[0]?.data).toMatchObject({ status: '200' });
  });

  test('waits for a client that reads slowly instead of filling the memory', async () => {
    await start();
    const delta = { type: 'response.output_text.delta', delta: 'x'.repeat(60_000) };
    const events = [
      ...Array.from({ length: 1_500 }, () => delta),
      { type: 'response.completed', response: { id: 'r' } },
    ];
    gateway.pool[0]?.at.always(stream('big', () => events.map((event) => ({ event }))));
    const sent = () => atProvider()[0]?.sentBytes ?? 0;
    const received = await new Promise<number>((resolve, reject) => {
      const request = httpRequest(`${gateway.url}/backend-api/svc/responses`, { method: 'POST' }, (response) => {
        response.pause();
        let before = -1;
        // The provider's progress stands still once every buffer on the way is full.
        const timer = setInterval(() => {
          if (sent() !== before || before <= 0) {
            before = sent();
            return;
          }
          clearInterval(timer);
          expect(sent()).toBeLessThan(60_000_000);
          let bytes = 0;
          response.on('data', (chunk: Buffer) => {
            bytes += chunk.length;
          });
          response.on('end', () => resolve(bytes));
          response.resume();
        }, 150);
      });
      request.on('error', reject);
      request.end(JSON.stringify(acceptable));
    });
    expect(received).toBeGreaterThan(90_000_000);
    expect(received).toBe(sent());
  });
});

describe('paths', () => {
  test('the names that Codex knows answer like ours', async () => {
    await start();
    for (const path of ['/backend-api/codex/responses', '/backend-api/svc/responses/']) {
      const response = await gateway.ask(acceptable, { path });
      expect(response.status).toBe(200);
      await response.text();
    }
    expect(await gateway.logs()).toMatchObject([
      { route: '/backend-api/svc/responses' },
      { route: '/backend-api/svc/responses' },
    ]);
  });

  test('the aliases can be switched off', async () => {
    await start({ env: { SVC_CODEX_ALIASES: 'false' } });
    expect((await gateway.ask(acceptable, { path: '/backend-api/codex/responses' })).status).toBe(404);
  });

  test('what is not there is a 404 in the envelope of the proxy, never a page', async () => {
    await start();
    const response = await fetch(`${gateway.url}/v1/unknown`);
    expect(response.status).toBe(404);
    expect(await errorOf(response)).toMatchObject({ code: 'not_found', type: 'invalid_request_error' });
  });

  test('a websocket upgrade is told to use POST at once', async () => {
    await start();
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const request = httpRequest(`${gateway.url}/backend-api/svc/responses`, {
        headers: {
          connection: 'Upgrade',
          upgrade: 'websocket',
          'sec-websocket-version': '13',
          'sec-websocket-key': 'x',
        },
      });
      request.on('response', (response) => resolve(response.statusCode));
      request.on('error', reject);
      request.end();
    });
    expect(status).toBe(426);
  });
});
