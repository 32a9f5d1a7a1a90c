import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { chat, chatPath, chunksIn, readChatStream } from '../support/chat.ts';
import { errorOf, type Gateway, type GatewayOptions, startGateway } from '../support/gateway.ts';
import { functionCalls, message } from '../support/provider/parts.ts';
import { openingEvents, responseEvents } from '../support/provider/responseEvents.ts';
import {
  completedWithoutOutput,
  fragmented,
  functionCall,
  HELLO,
  incompleteResponse,
  parallelToolCalls,
  type ResponseScript,
  reasoningResponse,
  stream,
  textResponse,
  withVendorEvents,
} from '../support/provider/scripts.ts';

/** Tests of the form of a chat share a gateway. Tests of its outcome start their own. */
let shared: Gateway;
let own: Gateway | undefined;
beforeAll(async () => {
  shared = await startGateway();
});
afterEach(async () => {
  await own?.stop();
  own = undefined;
});
afterAll(() => shared.stop());
const gateway = () => own ?? shared;
const start = async (script?: ResponseScript, options: GatewayOptions = {}) => {
  own = await startGateway(options);
  if (script) play(script);
};
const play = (script: ResponseScript) => gateway().pool[0]?.at.always(script);

const ask = (fields: object = {}, options: { headers?: Record<string, string>; signal?: AbortSignal } = {}) =>
  gateway().ask({ ...chat, ...fields }, { path: chatPath, ...options });
const askStream = async (fields: object = {}) => readChatStream(await ask({ stream: true, ...fields }));
const askJson = async (fields: object = {}) => {
  const response = await ask(fields);
  expect(response.headers.get('content-type')).toContain('application/json');
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field
  return { status: response.status, body: (await response.json()) as any };
};

const weatherAndTime = [
  ['get_weather', { city: 'Zürich', unit: 'celsius' }],
  ['get_time', { city: 'Tōkyō', format: '24h' }],
];

/** A refusal of the model, in fragments. */
const refusing = () =>
  stream('refusing', function* (request) {
    yield* openingEvents(request);
    const at = { item_id: 'msg_1', output_index: 0, content_index: 0 };
    const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] };
    const part = { type: 'refusal', refusal: 'I will not.' };
    yield { event: { type: 'response.output_item.added', output_index: 0, item } };
    yield { event: { type: 'response.content_part.added', ...at, part: { type: 'refusal', refusal: '' } } };
    yield { event: { type: 'response.refusal.delta', ...at, delta: 'I will ' } };
    yield { event: { type: 'response.refusal.delta', ...at, delta: 'not.' } };
    yield { event: { type: 'response.refusal.done', ...at, refusal: part.refusal } };
    yield { event: { type: 'response.content_part.done', ...at, part } };
    yield { event: { type: 'response.output_item.done', output_index: 0, item: { ...item, content: [part] } } };
    yield { event: { type: 'response.completed', response: { id: request.id, status: 'completed', output: [] } } };
  });

/** A response that a content filter stopped. */
const filtered = () =>
  stream('filtered', function* (request) {
    yield* openingEvents(request);
    yield* message(['Once '], { leaveOpen: true })(request, 0);
    const response = { id: request.id, status: 'incomplete', incomplete_details: { reason: 'content_filter' } };
    yield { event: { type: 'response.incomplete', response } };
  });

describe('a stream', () => {
  test('sends the role, the text in chunks of one id, the finish reason and [DONE]', async () => {
    play(textResponse());
    const { chunks, deltas, text } = await askStream();
    expect(text).toBe(HELLO);
    expect(deltas.length).toBeGreaterThan(3);
    expect(chunks[0]).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-[0-9a-f]{32}$/),
      object: 'chat.completion.chunk',
      model: chat.model,
    });
    expect(Math.abs(chunks[0].created - Date.now() / 1_000)).toBeLessThan(60);
    expect(chunks.at(-1).choices).toEqual([{ index: 0, delta: {}, finish_reason: 'stop' }]);
    expect(JSON.stringify(chunks)).not.toContain('usage');
  });

  test('has a unique id that leads to its row in the log', async () => {
    play(textResponse());
    const ids = [(await askStream()).chunks[0].id, (await askStream()).chunks[0].id, (await askJson()).body.id];
    expect(new Set(ids).size).toBe(3);
    const rows = (await gateway().logs('?limit=3')).map(({ request_id: id }: { request_id: string }) => id);
    expect(rows.sort()).toEqual(ids.map((id) => id.replace('chatcmpl-', 'req_')).sort());
  });

  test('sends the usage in a separate chunk on request', async () => {
    play(textResponse({ usage: { inputTokens: 100, cachedTokens: 40, outputTokens: 7, reasoningTokens: 3 } }));
    const { chunks } = await askStream({ stream_options: { include_usage: true } });
    const last = chunks.pop();
    expect(chunks.every(({ usage }) => usage === null)).toBe(true);
    expect(last).toMatchObject({
      choices: [],
      usage: {
        prompt_tokens: 100,
        completion_tokens: 7,
        total_tokens: 107,
        prompt_tokens_details: { cached_tokens: 40 },
        completion_tokens_details: { reasoning_tokens: 3 },
      },
    });
  });

  test('sends parallel tool calls by index, each argument once', async () => {
    play(parallelToolCalls());
    const { deltas, calls, finishReason } = await askStream();
    expect(calls.map(({ name, args }) => [name, JSON.parse(args)])).toEqual(weatherAndTime);
    const pieces = deltas.flatMap((delta) => delta.tool_calls ?? []);
    expect(pieces.map(({ index }) => index)).toEqual([0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
    expect(finishReason).toBe('tool_calls');
  });

  test('is sent while it arrives', async () => {
    play(
      stream('endless', function* (request) {
        yield* openingEvents(request);
        yield* message(['Once '], { leaveOpen: true })(request, 0);
        yield { hold: true };
      }),
    );
    const controller = new AbortController();
    const response = await ask({ stream: true }, { signal: controller.signal });
    const { value } = (await response.body?.getReader().read()) ?? {};
    expect(chunksIn(Buffer.from(value ?? []).toString())[0].choices[0].delta).toEqual({
      role: 'assistant',
      content: 'Once ',
    });
    controller.abort();
  });

  test('does not end before its event is durable', async () => {
    play(textResponse({ deltas: 3 }));
    for (let index = 0; index < 5; index++) {
      const response = await ask({ stream: true });
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
      let read = await reader?.read();
      while (!read?.done && !read?.value?.includes('"finish_reason":"stop"')) read = await reader?.read();
      expect(read?.value).toContain('"finish_reason":"stop"');
      const completed = gateway()
        .events('RequestCompleted')
        .map(({ data }) => data.requestId);
      expect(completed).toContain(response.headers.get('x-request-id'));
    }
  });
});

describe('sends the same chunks for every fragmentation', () => {
  const deltas = ['Grüße, ', '世界', ' 👋🏽'];
  test.each([
    ['in one piece', {}],
    ['with CRLF', { crlf: true }],
    ['with characters cut in half', { splitCharacters: true }],
    ['in pieces of 7 bytes', { splitEveryBytes: 7 }],
    ['byte by byte', { oneByteAtATime: true }],
  ])('%s', async (_what, wire) => {
    play(fragmented(textResponse({ deltas }), wire));
    const streamed = await askStream();
    expect(streamed.deltas.flatMap(({ content }) => content ?? [])).toEqual(deltas);
    expect((await askJson()).body.choices[0].message.content).toBe(deltas.join(''));
  });

  test('tool calls, byte by byte', async () => {
    play(fragmented(parallelToolCalls(), { oneByteAtATime: true }));
    const { calls } = await askStream();
    expect(calls.map(({ name, args }) => [name, JSON.parse(args)])).toEqual(weatherAndTime);
  });
});

describe('converts every kind of response, as a stream and as one object:', () => {
  const both = async (script: ResponseScript, fields: object = {}) => {
    play(script);
    const streamed = await askStream(fields);
    const { status, body } = await askJson(fields);
    expect(status).toBe(200);
    expect(body).toMatchObject({ object: 'chat.completion', model: chat.model });
    expect(body.choices).toHaveLength(1);
    const [choice] = body.choices;
    expect(choice.finish_reason).toBe(streamed.finishReason);
    expect(choice.message.content ?? '').toBe(streamed.text);
    expect(choice.message.refusal ?? '').toBe(streamed.refusal);
    return { streamed, choice };
  };

  test.each<[what: string, script: () => ResponseScript, text: string, reason: string]>([
    ['a text', () => textResponse({ text: 'Hi there.' }), 'Hi there.', 'stop'],
    [
      'a text that the terminal event does not repeat',
      () => completedWithoutOutput({ text: 'Hi there.' }),
      'Hi there.',
      'stop',
    ],
    ['a text among vendor events', () => withVendorEvents(textResponse({ text: 'Hi there.' })), 'Hi there.', 'stop'],
    ['a text that reached the maximum length', () => incompleteResponse({ text: 'Hi there.' }), 'Hi there.', 'length'],
    ['a text that a filter stopped', filtered, 'Once ', 'content_filter'],
    ['no output', () => stream('nothing', (request) => responseEvents(request, { parts: [] })), '', 'stop'],
  ])('%s', async (_what, script, text, reason) => {
    const { streamed, choice } = await both(script());
    expect([streamed.text, streamed.finishReason]).toEqual([text, reason]);
    expect(choice.message).toEqual({ role: 'assistant', content: text, refusal: null, annotations: [] });
  });

  test('a refusal', async () => {
    const { streamed, choice } = await both(refusing());
    expect(streamed).toMatchObject({ text: '', refusal: 'I will not.', finishReason: 'stop' });
    expect(choice.message.content).toBeNull();
  });

  test('a tool call after text', async () => {
    const script = stream('text and call', (request) =>
      responseEvents(request, { parts: [message(['One moment.']), functionCalls([{ name: 'now', args: {} }])] }),
    );
    const { streamed, choice } = await both(script);
    expect(streamed).toMatchObject({ text: 'One moment.', finishReason: 'tool_calls' });
    expect(choice.message.tool_calls).toEqual([
      { id: expect.stringMatching(/^call_/), type: 'function', function: { name: 'now', arguments: '{}' } },
    ]);
    expect(streamed.calls).toMatchObject([{ name: 'now', args: '{}' }]);
  });

  test('a reasoning summary, apart from the text', async () => {
    const { streamed, choice } = await both(reasoningResponse({ reasoning: 'Let me see.', text: 'Hi.' }), {
      reasoning: { effort: 'low', summary: 'auto' },
    });
    expect(streamed).toMatchObject({ text: 'Hi.', reasoning: 'Let me see.' });
    expect(choice.message.reasoning_content).toBe('Let me see.');
    expect((await gateway().logs())[0].reasoning_effort).toBe('low');
  });
});

describe('the request to the provider', () => {
  test('is the equivalent responses request without refused parameters', async () => {
    play(textResponse());
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } };
    const { status } = await askJson({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'What is this?' }, image] },
      ],
      temperature: 0.2,
      max_tokens: 100,
      stop: ['\n'],
      metadata: { a: 'b' },
      service_tier: 'flex',
      reasoning_effort: 'low',
      response_format: { type: 'json_schema', json_schema: { name: 'thing', schema: { type: 'object' } } },
      tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }],
      tool_choice: { type: 'function', function: { name: 'look' } },
    });
    expect(status).toBe(200);
    expect(gateway().asked().at(-1)?.json).toEqual({
      model: chat.model,
      instructions: 'Be brief.',
      input: [
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'What is this?' },
            { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'low' },
          ],
        },
      ],
      service_tier: 'flex',
      reasoning: { effort: 'low' },
      text: { format: { type: 'json_schema', name: 'thing', schema: { type: 'object' } } },
      tools: [{ type: 'function', name: 'look', parameters: { type: 'object' }, strict: false }],
      tool_choice: { type: 'function', name: 'look' },
      stream: true,
      store: false,
    });
  });

  test('contains tool call and output on the second turn', async () => {
    play(textResponse({ text: 'Sunny.' }));
    gateway().pool[0]?.at.next(functionCall('weather', { city: 'Bern' }));
    const first = await askJson();
    const [choice] = first.body.choices;
    expect(choice).toMatchObject({ finish_reason: 'tool_calls', message: { content: null } });
    const [call] = choice.message.tool_calls;
    const toolOutput = { role: 'tool', tool_call_id: call.id, content: 'sunny' };
    const second = await askJson({ messages: [...chat.messages, choice.message, toolOutput] });
    expect(second.body.choices[0].message.content).toBe('Sunny.');
    expect(gateway().asked().at(-1)?.json).toMatchObject({
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Say hi' }] },
        { type: 'function_call', call_id: call.id, name: 'weather', arguments: '{"city":"Bern"}' },
        { type: 'function_call_output', call_id: call.id, output: 'sunny' },
      ],
    });
  });
});

describe('a chat, like every request,', () => {
  const createKey = async (fields: object) =>
    (await gateway().api('POST', '/api/api-keys', { name: 'a key', ...fields })).body;
  const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

  test('has a row in the log with tokens and cost', async () => {
    await start(
      textResponse({ usage: { inputTokens: 1_000, cachedTokens: 0, outputTokens: 100, reasoningTokens: 0 } }),
    );
    await askStream({ reasoning_effort: 'high' });
    expect(await gateway().logs()).toMatchObject([
      { status: '200', route: chatPath, model: chat.model, tokens: 1_100, reasoning_effort: 'high', error_code: null },
    ]);
    expect((await gateway().logs())[0].cost_usd).toBeGreaterThan(0);
    expect(gateway().events('RequestCompleted')[0]?.data.usage?.isEstimated).toBe(false);
  });

  test('is refused when the key may not use the model', async () => {
    await start();
    const { key } = await createKey({ allowed_models: ['gpt-5.2'] });
    await gateway().set({ api_key_auth_enabled: true });
    const response = await ask({ stream: true }, bearer(key));
    expect(response.status).toBe(403);
    expect(await errorOf(response)).toMatchObject({ code: 'model_not_allowed', type: 'permission_error' });
    expect((await ask()).status).toBe(401);
    expect(gateway().asked()).toEqual([]);
  });

  test('counts against the limits of its key', async () => {
    await start(textResponse({ usage: { inputTokens: 900, cachedTokens: 0, outputTokens: 200, reasoningTokens: 0 } }));
    const limits = [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 1_000 }];
    const { key } = await createKey({ limits });
    await gateway().set({ api_key_auth_enabled: true });
    expect((await readChatStream(await ask({ stream: true, max_tokens: 50 }, bearer(key)))).text).toBe(HELLO);
    const refused = await ask({ stream: true }, bearer(key));
    expect(refused.status).toBe(429);
    expect(await errorOf(refused)).toMatchObject({ code: 'rate_limit_exceeded', type: 'rate_limit_error' });
  });

  test('gets an error with the invalid field, and the refusal is logged', async () => {
    await start();
    const audio = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } };
    const response = await ask({ messages: [...chat.messages, { role: 'user', content: [audio] }] });
    expect(response.status).toBe(400);
    expect(await errorOf(response)).toEqual({
      code: 'invalid_request_error',
      type: 'invalid_request_error',
      param: 'messages.1.content.0.type',
      message: expect.stringContaining("'input_audio' is not supported"),
    });
    expect(gateway().asked()).toEqual([]);
    expect(await gateway().logs()).toMatchObject([{ status: '400', error_code: 'invalid_request_error' }]);
  });

  test.each<[what: string, headers: Record<string, string>]>([
    ['the header of its session', { 'x-session-affinity': 'ses_1' }],
    ['the first message of its user', {}],
  ])('stays on its account, identified by %s', async (_what, headers) => {
    await start(undefined, { accounts: 3 });
    await gateway().set({ routing_strategy: 'round_robin' });
    const accountFor = async (content: string, of: Record<string, string>) => {
      const messages = [
        { role: 'system', content: `now ${Math.random()}` },
        { role: 'user', content },
      ];
      await (await ask({ messages }, { headers: of })).text();
      return gateway().asked().at(-1)?.account;
    };
    const first = await accountFor('mine', headers);
    for (let index = 0; index < 3; index++) {
      await accountFor(`another ${index}`, {});
      expect(await accountFor('mine', headers)).toBe(first);
    }
  });

  test('pauses the provider while its client reads slowly', async () => {
    const delta = { type: 'response.output_text.delta', delta: 'x'.repeat(60_000) };
    const events = [...Array.from({ length: 1_000 }, () => delta), { type: 'response.completed', response: {} }];
    await start(stream('big', () => events.map((event) => ({ event }))));
    const response = await ask({ stream: true });
    const sent = () => gateway().asked()[0]?.sentBytes ?? 0;
    let before = -1;
    // The provider makes no progress once every buffer in between is full.
    await vi.waitUntil(
      () => {
        const isStalled = sent() === before && before > 0;
        before = sent();
        return isStalled;
      },
      { timeout: 15_000, interval: 150 },
    );
    expect(sent()).toBeLessThan(40_000_000);
    const { text } = await readChatStream(response);
    expect(text).toHaveLength(60_000_000);
  });
});
