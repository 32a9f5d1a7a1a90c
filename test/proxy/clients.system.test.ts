import { readFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Gateway, startGateway, validRequest } from '../support/gateway.ts';
import { eventsIn } from '../support/provider/client.ts';
import {
  endDelayedUntil,
  errorEvent,
  json,
  streamCut,
  terminalEventMissing,
  textResponse,
  throttled,
  usageLimitReached,
  withVendorEvents,
} from '../support/provider/scripts.ts';

// What real clients send and need beyond the documented API (docs/clients.md). The clients themselves run in test/e2e.

const SVC = '/backend-api/svc/responses';
const V1 = '/v1/responses';
const CHAT = '/v1/chat/completions';
const RESPONSES = [SVC, V1];

let gateway: Gateway;
const account = () => {
  const [only] = gateway.pool;
  if (!only) throw new Error('no account');
  return only.at;
};
const { model } = validRequest;
const developer = { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be brief.' }] };
const userMessage = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Say hi' }] };
/** A request of current Codex: no `instructions`, a developer message first. */
const codex = (fields: object = {}) => ({
  model,
  input: [developer, userMessage],
  tool_choice: 'auto',
  parallel_tool_calls: true,
  stream: true,
  store: false,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: 'thread',
  ...fields,
});
const sdk = (fields: object = {}) => ({ model, input: 'Say hi', ...fields });
const chat = (fields: object = {}) => ({ model, messages: [{ role: 'user', content: 'Say hi' }], ...fields });

const ask = (path: string, body: unknown, headers: Record<string, string> = {}) => gateway.ask(body, { path, headers });
const lastAtProvider = () => gateway.provider.received.filter(({ method }) => method === 'POST').at(-1);
/** @returns the body that the provider receives */
async function forwarded(path: string, body: unknown, headers?: Record<string, string>) {
  const response = await ask(path, body, headers);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return lastAtProvider()?.json as Record<string, unknown>;
}
/** @returns the error of a body that is rejected without calling the provider */
async function refused(path: string, body: unknown) {
  const before = gateway.provider.received.length;
  const response = await ask(path, body);
  expect(gateway.provider.received.length).toBe(before);
  return { status: response.status, ...((await response.json()) as { error: Record<string, unknown> }).error };
}
const typesOf = (text: string) => eventsIn(text).map(({ event }) => event);

describe('while the provider works', () => {
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.stop());
  beforeEach(() => account().always(textResponse({ text: 'Hello.' })));

  test('accepts missing, null and empty instructions when a developer message leads, and on /v1', async () => {
    for (const instructions of [undefined, '', null]) {
      for (const path of RESPONSES) expect(await forwarded(path, codex({ instructions }))).toMatchObject({ model });
      expect(await forwarded(V1, sdk({ instructions }))).toMatchObject({ model });
    }
    expect(await refused(SVC, { ...codex(), input: [userMessage] })).toMatchObject({
      status: 400,
      param: 'instructions',
    });
  });

  test('forwards input items of every kind unchanged', async () => {
    const input = [
      { type: 'additional_tools', role: 'developer', tools: [{ type: 'function', name: 'f', parameters: {} }] },
      developer,
      userMessage,
      { role: 'assistant', content: 'bare, and a string' },
      { type: 'reasoning', id: 'rs_1', content: null, summary: [], encrypted_content: 'x' },
      { type: 'function_call', name: 'f', call_id: 'c1', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'done' },
      { type: 'custom_tool_call', name: 'patch', call_id: 'c2', input: '*** Begin' },
      { type: 'custom_tool_call_output', call_id: 'c2', output: [{ type: 'input_text', text: 'done' }] },
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } },
      { type: 'compaction', encrypted_content: 'y' },
      { type: 'of_a_later_time', anything: [1] },
    ];
    for (const path of RESPONSES) expect((await forwarded(path, codex({ input }))).input).toEqual(input);
  });

  test('forwards tools of every kind, except four unsupported ones', async () => {
    const tools = [
      { type: 'function', name: 'shell', parameters: { type: 'object' }, strict: false },
      { type: 'custom', name: 'apply_patch', format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' } },
      { type: 'namespace', name: 'image_gen', tools: [{ type: 'function', name: 'imagegen', parameters: {} }] },
      { type: 'tool_search' },
      { type: 'web_search', external_web_access: true, search_content_types: ['text'] },
    ];
    for (const path of RESPONSES) {
      expect((await forwarded(path, codex({ tools }))).tools).toEqual(tools);
      for (const type of ['file_search', 'code_interpreter', 'computer_use', 'image_generation']) {
        expect(await refused(path, codex({ tools: [{ type }] }))).toMatchObject({ status: 400, param: 'tools.0.type' });
      }
    }
  });

  test.each(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', undefined, null])(
    'forwards and logs the reasoning effort %s',
    async (effort) => {
      const reasoning = { effort, summary: 'auto', context: 'all_turns' };
      expect((await forwarded(SVC, codex({ reasoning }))).reasoning).toEqual(JSON.parse(JSON.stringify(reasoning)));
      expect(await gateway.logs('?limit=1')).toMatchObject([{ reasoning_effort: effort ?? null }]);
    },
  );

  test('forwards unknown fields', async () => {
    const more = {
      service_tier: 'flex',
      client_metadata: { 'x-codex-window-id': 'w' },
      text: {
        verbosity: 'low',
        format: { type: 'json_schema', name: 'codex_output_schema', strict: true, schema: {} },
      },
      of_a_later_time: true,
      input: [developer, { ...userMessage, internal_chat_message_metadata_passthrough: { a: 1 } }],
    };
    for (const path of RESPONSES) expect(await forwarded(path, codex(more))).toMatchObject(more);
  });

  test('sends store: false; rejects true on responses and drops it from a chat', async () => {
    expect(await forwarded(V1, sdk())).toMatchObject({ store: false });
    for (const path of RESPONSES) {
      expect(await refused(path, codex({ store: true }))).toMatchObject({ status: 400, param: 'store' });
    }
    expect(await forwarded(CHAT, chat({ store: true }))).toMatchObject({ store: false });
  });

  test('rejects previous_response_id and resolves references to items that the client received', async () => {
    expect(await refused(V1, sdk({ previous_response_id: 'resp_1' }))).toMatchObject({
      status: 400,
      param: 'previous_response_id',
    });
    const { output } = (await (await ask(V1, sdk())).json()) as { output: { id: string }[] };
    const input = [
      { type: 'item_reference', id: output[0]?.id },
      { type: 'item_reference', id: 'rs_unknown' },
      userMessage,
    ];
    expect((await forwarded(V1, { model, input })).input).toEqual([output[0], userMessage]);
  });

  test('/v1 streams only on request, the path of Codex always', async () => {
    const typeOf = async (path: string, body: unknown) => (await ask(path, body)).headers.get('content-type');
    expect(await typeOf(V1, sdk())).toContain('application/json');
    expect(await typeOf(V1, sdk({ stream: false }))).toContain('application/json');
    expect(await typeOf(V1, sdk({ stream: true }))).toContain('text/event-stream');
    for (const stream of [undefined, false, true]) {
      expect(await typeOf(SVC, codex({ stream }))).toContain('text/event-stream');
    }
  });

  test('drops or rewrites what the provider would refuse', async () => {
    const system = { role: 'system', content: 'Be brief.' };
    const body = { max_output_tokens: 32_000, temperature: 0.5, top_p: 1, metadata: {}, user: 'u', truncation: 'auto' };
    const got = await forwarded(V1, { model, input: [system, userMessage], ...body });
    expect(got).toEqual({ model, input: [{ ...system, role: 'developer' }, userMessage], stream: true, store: false });
  });

  test.each([
    ['zstd', zstdCompressSync],
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('accepts a body compressed with %s', async (encoding, compress) => {
    const body = compress(Buffer.from(JSON.stringify(codex())));
    expect(await forwarded(SVC, body, { 'content-encoding': encoding })).toEqual(codex());
  });

  test('relays every event with all its fields', async () => {
    const text = await (await ask(SVC, codex())).text();
    const types = typesOf(text);
    for (const type of ['response.created', 'response.content_part.added', 'response.output_text.delta']) {
      expect(types).toContain(type);
    }
    const done = eventsIn(text).find(({ event }) => event === 'response.output_item.done');
    expect(done?.data).toMatchObject({ output_index: 0, item: { role: 'assistant', content: [{ text: 'Hello.' }] } });
  });

  test('responds to a websocket upgrade with 426', async () => {
    for (const path of [...RESPONSES, '/backend-api/codex/responses']) {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
        httpRequest(gateway.url + path, { headers }, resolve)
          .on('error', reject)
          .end();
      });
      response.resume();
      expect(response.statusCode).toBe(426);
    }
  });

  test('serves one list of models that is complete for Codex and for SDKs', async () => {
    const body = await (await fetch(`${gateway.url}/backend-api/svc/models?client_version=0.169.0`)).json();
    expect(body).toMatchObject({ object: 'list', data: [{ object: 'model' }, { object: 'model' }] });
    for (const entry of (body as { models: object[] }).models) {
      for (const name of ['slug', 'display_name', 'shell_type', 'base_instructions', 'truncation_policy']) {
        expect(entry).toHaveProperty(name);
      }
    }
  });

  test('never sends empty usage details', async () => {
    account().always(textResponse({ usage: null }));
    for (const [path, body] of [
      [V1, sdk()],
      [CHAT, chat()],
      [CHAT, chat({ stream: true, stream_options: { include_usage: true } })],
    ] as const) {
      expect(await (await ask(path, body)).text()).not.toMatch(/"\w+_details":\s*\{\}/);
    }
  });

  test('responds to every invalid JSON body with 400, because Codex retries every other 4xx', async () => {
    for (const path of [...RESPONSES, CHAT, `${SVC}/compact`, `${V1}/compact`]) {
      for (const body of ['{"model": ', '[]', {}, { model: 7, input: 'x', messages: 'x' }]) {
        expect((await refused(path, body)).status).toBe(400);
      }
    }
  });

  test('forwards both ways to compact, and relays that the provider does not implement one', async () => {
    const input = [developer, userMessage, { type: 'compaction_trigger' }];
    expect((await forwarded(SVC, codex({ input }))).input).toEqual(input);
    const { stream: _, store: __, ...old } = codex({ instructions: 'Be brief.' });
    expect(await (await ask(`${SVC}/compact`, old)).json()).toMatchObject({ output: [{ type: 'compaction' }] });
    account().compact.next(json(501, { error: { message: 'no', code: 'not_implemented' } }));
    expect((await ask(`${V1}/compact`, old)).status).toBe(501);
  });

  test('serves the usage where Codex polls it', async () => {
    for (const path of ['/api/svc/usage', '/api/codex/usage', '/backend-api/wham/usage']) {
      expect(await (await fetch(gateway.url + path)).json()).toMatchObject({ plan_type: 'plus' });
    }
  });

  test('removes vendor events on /v1 and relays them to Codex', async () => {
    account().always(withVendorEvents(textResponse()));
    expect(typesOf(await (await ask(SVC, codex())).text())).toContain('codex.rate_limits');
    for (const body of [sdk({ stream: true }), codex()]) {
      for (const type of typesOf(await (await ask(V1, body)).text())) expect(type).toMatch(/^(response\.|keepalive$)/);
    }
  });

  test('rejects the sign-in token of Codex when keys are required, as the README says', async () => {
    await gateway.set({ api_key_auth_enabled: true });
    const jwt = { authorization: `Bearer ${account().tokens.current().accessToken}` };
    expect((await ask(SVC, codex(), jwt)).status).toBe(401);
    await gateway.set({ api_key_auth_enabled: false });
    expect((await ask(SVC, codex(), jwt)).status).toBe(200);
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    expect(readme).toMatch(/Once keys are required, `env_key` must be there/);
  });
});

describe('when the provider fails', () => {
  beforeEach(async () => {
    gateway = await startGateway();
  });
  afterEach(() => gateway.stop());

  test('adds response.failed after an error event, which Codex ignores', async () => {
    for (const path of RESPONSES) {
      const received = Promise.withResolvers<void>();
      account().next(endDelayedUntil(received.promise, errorEvent()));
      const response = await ask(path, codex());
      received.resolve();
      expect(typesOf(await response.text()).slice(-2)).toEqual(['error', 'response.failed']);
    }
  });

  test.each([
    ['is cut', streamCut()],
    ['ends without a terminal event', terminalEventMissing()],
  ])('does not end a stream cleanly that %s', async (_how, script) => {
    for (const path of RESPONSES) {
      account().next(script);
      expect(typesOf(await (await ask(path, codex())).text()).at(-1)).toBe('response.failed');
    }
    account().next(script);
    const chunks = await (await ask(CHAT, chat({ stream: true }))).text();
    expect(chunks).toMatch(/data: \{"error":\{[^\n]*\n\ndata: \[DONE\]\n\n$/);
  });

  test('sends Retry-After for short waits only, because clients sleep on it literally', async () => {
    const { body: key } = await gateway.api('POST', '/api/api-keys', {
      name: 'spent',
      limits: [{ limit_type: 'total_tokens', limit_window: 'weekly', max_value: 1 }],
    });
    await gateway.set({ api_key_auth_enabled: true });
    const bearer = { authorization: `Bearer ${key.key}` };
    expect((await ask(V1, sdk(), bearer)).status).toBe(200);
    const long = await ask(V1, sdk(), bearer);
    expect([long.status, long.headers.get('retry-after')]).toEqual([429, null]);
    expect(await long.json()).toMatchObject({ error: { type: 'rate_limit_error', code: 'rate_limit_exceeded' } });
    await gateway.set({ api_key_auth_enabled: false });

    account().always(throttled({ retryAfter: 20 }));
    const short = await ask(SVC, codex());
    expect(short.status).toBe(429);
    expect(Number(short.headers.get('retry-after'))).toBeLessThanOrEqual(20);
    expect(Number(short.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('keeps the type of a usage limit that Codex knows, with plan and reset time', async () => {
    account().always(usageLimitReached());
    const response = await ask(SVC, codex());
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({
      error: { type: 'usage_limit_reached', plan_type: 'plus', resets_at: expect.any(Number) },
    });
  });
});
