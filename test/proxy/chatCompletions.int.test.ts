import { afterEach, describe, expect, test } from 'vitest';
import { type Gateway, type GatewayOptions, startGateway } from '../support/gateway.ts';
import { HELLO, parallelToolCalls, type ResponseScript, textAnswer } from '../support/provider/scripts.ts';

let gateway: Gateway;
const start = async (script?: ResponseScript, options: GatewayOptions = {}) => {
  gateway = await startGateway(options);
  if (script) gateway.pool[0]?.at.always(script);
};
afterEach(() => gateway?.stop());

const path = '/v1/chat/completions';
const chat = { model: 'gpt-5.1', messages: [{ role: 'user', content: 'Say hi' }] };
const ask = (fields: object = {}, options: { headers?: Record<string, string>; signal?: AbortSignal } = {}) =>
  gateway.ask({ ...chat, ...fields }, { path, ...options });

const atProvider = () => gateway.provider.received.filter((request) => request.path.endsWith('/codex/responses'));

/** The lines of a stream; each is a chunk, the last one `[DONE]`. */
async function linesOf(response: Response) {
  const text = await response.text();
  expect(text.endsWith('\n\n')).toBe(true);
  const blocks = text.split('\n\n').slice(0, -1);
  return blocks
    .filter((block) => !block.startsWith(':'))
    .map((block) => {
      expect(block.startsWith('data: ')).toBe(true);
      const data = block.slice(6);
      return data === '[DONE]' ? data : JSON.parse(data);
    });
}

/** A stream that was told to its end: its chunks, and what they make together. */
async function streamed(response: Response) {
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const lines = await linesOf(response);
  expect(lines.pop()).toBe('[DONE]');
  expect(
    new Set(lines.map(({ id, created, model, object }) => JSON.stringify({ id, created, model, object }))).size,
  ).toBe(1);
  const deltas = lines.flatMap(({ choices }) => choices.map(({ delta }: { delta: object }) => delta));
  expect(deltas.map(({ role }) => role).filter(Boolean)).toEqual(['assistant']);
  expect(deltas[0].role).toBe('assistant');
  return { chunks: lines, deltas, text: deltas.map(({ content = '' }) => content).join('') };
}

describe('a stream', () => {
  test('tells the text in chunks of one id, the role with the first, and ends with its reason and [DONE]', async () => {
    await start();
    const { chunks, deltas, text } = await streamed(await ask({ stream: true }));
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

  test('tells its usage in a chunk of its own for who asks', async () => {
    await start(textAnswer({ usage: { inputTokens: 100, cachedTokens: 40, outputTokens: 7, reasoningTokens: 3 } }));
    const { chunks } = await streamed(await ask({ stream: true, stream_options: { include_usage: true } }));
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

  test('tells parallel tool calls by their index, each argument once', async () => {
    await start(parallelToolCalls());
    const { chunks, deltas } = await streamed(await ask({ stream: true }));
    const calls = deltas.flatMap((delta) => delta.tool_calls ?? []);
    const whole = [0, 1].map((index) => {
      const pieces = calls.filter((call) => call.index === index);
      expect(pieces.flatMap(({ id }) => id ?? [])).toHaveLength(1);
      return { name: pieces[0].function.name, args: pieces.map((call) => call.function.arguments).join('') };
    });
    expect(whole.map(({ name, args }) => [name, JSON.parse(args)])).toEqual([
      ['get_weather', { city: 'Zürich', unit: 'celsius' }],
      ['get_time', { city: 'Tōkyō', format: '24h' }],
    ]);
    expect(calls.slice(2).map(({ index }) => index)).toEqual([0, 1, 0, 1, 0, 1, 0, 1]);
    expect(chunks.at(-1).choices[0].finish_reason).toBe('tool_calls');
  });
});

describe('without stream', () => {
  test('the answer is one object, with its usage', async () => {
    await start();
    const response = await ask();
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-[0-9a-f]{32}$/),
      object: 'chat.completion',
      model: chat.model,
      choices: [{ index: 0, message: { role: 'assistant', content: HELLO, refusal: null }, finish_reason: 'stop' }],
      usage: { total_tokens: expect.any(Number) },
    });
    expect(atProvider()[0]?.json).toEqual({
      model: chat.model,
      instructions: '',
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Say hi' }] }],
      stream: true,
      store: false,
    });
    expect(await gateway.logs()).toMatchObject([{ status: '200', route: path, model: chat.model }]);
  });
});
