import { afterEach, describe, expect, test, vi } from 'vitest';
import { replayEvents } from '../../src/replay/replayEvents.ts';
import { assembled, chat, chatPath, chunksIn } from '../support/chat.ts';
import { type Gateway, startGateway, validRequest } from '../support/gateway.ts';
import { delayedUntil, endDelayedUntil, textResponse } from '../support/provider/scripts.ts';
import { recordedEvents } from '../support/recordedEvents.ts';
import { waitOptions } from '../support/waitOptions.ts';

let gateway: Gateway;
afterEach(async () => gateway?.stop());

/** Ten times what is reserved for an answer of which nothing is known. */
const ANSWER_TOKENS = 20_480;
const INPUT_TOKENS = 50;
const TOKENS_PER_EVENT = 160;
const BUDGET = 10 * (ANSWER_TOKENS + INPUT_TOKENS);

/** Tokens of an answer whose half is reasoning, of which the provider sends neither text nor summary. */
const HIDDEN_TOKENS = ANSWER_TOKENS / 2;

/** An answer in events of this many tokens, each in a write of its own, after reasoning that is not shown. */
const answerIn = (tokensPerEvent: number, reasoningTokens = 0) =>
  textResponse({
    deltas: Array.from({ length: (ANSWER_TOKENS - reasoningTokens) / tokensPerEvent }, () =>
      'word'.repeat(tokensPerEvent),
    ),
    usage: { ...usage, reasoningTokens },
    betweenMs: 1,
  });
const usage = { inputTokens: INPUT_TOKENS, cachedTokens: 0, outputTokens: ANSWER_TOKENS, reasoningTokens: 0 };
const longAnswer = () => answerIn(TOKENS_PER_EVENT);

async function withKey(limit: Record<string, unknown>) {
  gateway = await startGateway();
  const { body: key } = await gateway.api('POST', '/api/api-keys', {
    name: 'limited',
    limits: [{ limit_type: 'total_tokens', limit_window: 'daily', ...limit }],
  });
  await gateway.set({ api_key_auth_enabled: true });
  const askAs = (bearer: string, body: object = validRequest, path = '/backend-api/svc/responses') =>
    gateway.ask(body, { headers: { authorization: `Bearer ${bearer}` }, path });
  return {
    id: key.id as string,
    askAs,
    ask: (body?: object, path?: string) => askAs(key.key, body, path),
    limits: async () => (await gateway.api('GET', '/api/api-keys')).body[0].limits[0],
  };
}

const settled = () => gateway.events('RequestCompleted').map(({ data }) => data);

/** Tokens of the deltas that a client got: four bytes each. */
const tokensIn = (text: string) => (text.match(/"delta":"(?:word)+"/g) ?? []).join('').split('word').length - 1;

describe('a hundred long answers at once against a budget for ten', () => {
  test.each([
    { known: 'nothing', mode: 'finish', hidden: 0, admitted: [95, 100], percentOver: 900, source: 'default' },
    { known: 'nothing', mode: 'stop', hidden: 0, admitted: [95, 100], percentOver: 9, source: 'default' },
    { known: 'the model', mode: 'finish', hidden: 0, admitted: [10, 11], percentOver: 10, source: 'model' },
    { known: 'the key', mode: 'finish', hidden: 0, admitted: [10, 11], percentOver: 10, source: 'key' },
    { known: 'the key', mode: 'stop', hidden: 0, admitted: [10, 11], percentOver: 1, source: 'key' },
    {
      known: 'nothing',
      mode: 'finish',
      hidden: HIDDEN_TOKENS,
      admitted: [95, 100],
      percentOver: 900,
      source: 'default',
    },
    { known: 'nothing', mode: 'stop', hidden: HIDDEN_TOKENS, admitted: [95, 100], percentOver: 9, source: 'default' },
    { known: 'the key', mode: 'finish', hidden: HIDDEN_TOKENS, admitted: [10, 11], percentOver: 10, source: 'key' },
    { known: 'the key', mode: 'stop', hidden: HIDDEN_TOKENS, admitted: [10, 11], percentOver: 10, source: 'key' },
  ])(
    'known: $known, on_exceeded: $mode, hidden reasoning: $hidden',
    async ({ known, mode, hidden, admitted: [least = 0, most = 0], percentOver, source }) => {
      const { id, ask, askAs, limits } = await withKey({ max_value: BUDGET, on_exceeded: mode });
      const answer = answerIn(mode === 'stop' ? TOKENS_PER_EVENT : ANSWER_TOKENS / 10, hidden);
      gateway.pool[0]?.at.always(answer);
      const { body: other } = await gateway.api('POST', '/api/api-keys', { name: 'other' });
      for (let index = 0; known !== 'nothing' && index < 3; index++) {
        await (await (known === 'the key' ? ask() : askAs(other.key))).text();
      }
      await gateway.api('PATCH', `/api/api-keys/${id}`, { reset_usage: true });
      const before = settled().length;
      const { promise: begins, resolve: begin } = Promise.withResolvers<void>();
      gateway.pool[0]?.at.always(delayedUntil(begins, answer));
      let refused = 0;
      const all = Array.from({ length: 100 }, async () => {
        const response = await ask();
        if (response.status === 429) refused += 1;
        return { status: response.status, text: await response.text() };
      });
      await vi.waitUntil(() => (gateway.pool[0]?.at.inFlight ?? 0) + refused === 100, waitOptions);
      begin();
      const responses = await Promise.all(all);
      const admitted = responses.filter(({ status }) => status === 200);
      const isStopped = ({ text }: { text: string }) => text.includes('response.failed');
      const stopped = admitted.filter(isStopped);
      const { current_value: counted, reserved_value: reserved } = await limits();
      const percent = (tokens: number) => Math.max(0, Math.round((tokens / BUDGET - 1) * 100));
      const over = percent(counted);
      // The provider has reasoned before it sends the first text, also in streams that are stopped.
      const atProvider = admitted.reduce((sum, { text }) => sum + INPUT_TOKENS + hidden + tokensIn(text), 0);
      process.stdout.write(
        `  100 at once, known: ${known}, ${mode}, hidden reasoning: ${hidden}: ${admitted.length} admitted, ${stopped.length} stopped, ` +
          `counted ${counted} of ${BUDGET}, ${over} % over; used at the provider ${atProvider}, ${percent(atProvider)} % over\n`,
      );
      expect(reserved).toBe(0);
      expect(admitted.length).toBeGreaterThanOrEqual(least);
      expect(admitted.length).toBeLessThanOrEqual(most);
      expect(over).toBeLessThanOrEqual(percentOver);

      // What was relayed is what was counted.
      const used = settled().slice(before);
      expect(used.length).toBe(admitted.length);
      const relayed = admitted
        .map((each) => tokensIn(each.text) + (isStopped(each) ? 0 : hidden))
        .toSorted((a, b) => a - b);
      expect(used.map(({ usage }) => usage?.outputTokens ?? 0).toSorted((a, b) => a - b)).toEqual(relayed);
      if (mode === 'stop') {
        expect(stopped.length).toBeGreaterThan(0);
        expect(counted).toBeGreaterThan(BUDGET);
        // At most one event of each open stream, and reasoning that is not shown: of streams that end, it is counted then.
        expect(counted - BUDGET).toBeLessThanOrEqual(admitted.length * (TOKENS_PER_EVENT + hidden));
        // The input of a stopped stream is estimated.
        const uncounted = atProvider - counted - stopped.length * hidden;
        expect(Math.abs(uncounted)).toBeLessThanOrEqual(stopped.length * INPUT_TOKENS);
      } else {
        expect(stopped.length).toBe(0);
        expect(counted).toBe(atProvider);
      }

      const sources = new Set(used.map(({ admission }) => admission?.estimateSource));
      expect([...sources]).toEqual([source]);
      expect(replayEvents(await recordedEvents(gateway.folder))).toMatchObject({ differences: [] });
    },
    60_000,
  );
});

const jsonRequest = { ...validRequest, stream: false };
const chatRequest = { ...chat, stream: true };

/** A response that sends its text at once, and its end when `finish` is called. */
function openAnswer(options: Parameters<typeof textResponse>[0]) {
  const { promise, resolve: finish } = Promise.withResolvers<void>();
  return { script: endDelayedUntil(promise, textResponse(options)), finish };
}

test('reserves more for an answer that turns out longer, so that less is left for others', async () => {
  const { ask, limits } = await withKey({ max_value: 4_000 });
  const reserved = async () =>
    (await gateway.api('GET', '/api/status')).body.reservations.limits[0]?.reserved_value ?? 0;
  const { script, finish } = openAnswer({ deltas: 3_000, usage: { outputTokens: 3_000 } });
  const { promise: begins, resolve: begin } = Promise.withResolvers<void>();
  gateway.pool[0]?.at.always(delayedUntil(begins, script));
  const response = ask();
  await vi.waitUntil(() => gateway.pool[0]?.at.inFlight === 1, waitOptions);
  expect(await reserved()).toBeLessThan(2_200);
  begin();
  const text = (await response).text();
  await expect.poll(reserved, waitOptions).toBeGreaterThan(4_000);
  expect((await ask()).status).toBe(429);
  finish();
  await text;
  expect(await limits()).toMatchObject({ reserved_value: 0 });
  expect((await limits()).current_value).toBeGreaterThan(3_000);
  expect((await ask()).status).toBe(200);
});

test('expects of a new key what the answers of all keys used, and no more than a client allows', async () => {
  const { ask, askAs } = await withKey({ max_value: 1_000_000 });
  const { body: other } = await gateway.api('POST', '/api/api-keys', { name: 'other' });
  gateway.pool[0]?.at.always(textResponse({ usage }));
  await (await askAs(other.key)).text();
  await (await ask()).text();
  await (await ask({ ...validRequest, max_output_tokens: 300 })).text();
  await (await ask({ ...validRequest, model: 'gpt-5.2', max_output_tokens: 90_000 })).text();
  expect(settled().map(({ admission }) => [admission?.estimateSource, admission?.estimate.outputTokens])).toEqual([
    [undefined, undefined],
    ['model', ANSWER_TOKENS],
    ['request', 300],
    ['request', 90_000],
  ]);
  expect(replayEvents(await recordedEvents(gateway.folder))).toMatchObject({ differences: [] });
});

describe('a limit that stops streams', () => {
  const stop = { max_value: 1_000, on_exceeded: 'stop' };

  test('ends a stream of responses with response.failed and counts what was relayed', async () => {
    const { ask, limits } = await withKey(stop);
    gateway.pool[0]?.at.always(longAnswer());
    const response = await ask();
    const text = await response.text();
    const last = JSON.parse(text.trimEnd().split('data: ').at(-1) as string);
    expect(last).toMatchObject({ type: 'response.failed', response: { status: 'failed' } });
    expect(last.response.error).toMatchObject({ type: 'rate_limit_error', code: 'rate_limit_exceeded' });
    expect(last.response.error.message).toContain('total_tokens daily limit reached, so the response was stopped');
    const [request] = settled();
    const outputTokens = tokensIn(text);
    expect(request).toMatchObject({
      status: 'error',
      errorCode: 'rate_limit_exceeded',
      usage: { outputTokens, isEstimated: true },
      attempts: [{ outcome: 'limit_reached' }],
    });
    const { current_value: counted, reserved_value: reserved } = await limits();
    expect(counted).toBe(outputTokens + (request?.usage?.inputTokens ?? 0));
    expect(counted - 1_000).toBeLessThanOrEqual(TOKENS_PER_EVENT);
    expect(reserved).toBe(0);
    expect((await ask()).status).toBe(429);
    await vi.waitUntil(() => gateway.pool[0]?.at.inFlight === 0, waitOptions);
  });

  test('ends a chat with an error chunk', async () => {
    const { ask } = await withKey(stop);
    gateway.pool[0]?.at.always(longAnswer());
    const chunks = chunksIn(await (await ask(chatRequest, chatPath)).text());
    expect(chunks.pop()).toBe('[DONE]');
    expect(chunks.pop().error).toMatchObject({ code: 'rate_limit_exceeded', type: 'rate_limit_error' });
    expect(assembled(chunks).text.length).toBeGreaterThan(3_000);
    expect(settled()).toMatchObject([{ status: 'error', errorCode: 'rate_limit_exceeded' }]);
  });

  test.each([
    ['a response in one piece', jsonRequest, '/v1/responses'],
    ['a chat in one piece', chat, chatPath],
  ])('finishes %s', async (_what, request, path) => {
    const { ask, limits } = await withKey(stop);
    gateway.pool[0]?.at.always(longAnswer());
    const response = await ask(request, path);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('wordword');
    expect((await limits()).current_value).toBe(INPUT_TOKENS + ANSWER_TOKENS);
  });

  test('ends a silent stream when others have used up the limit', async () => {
    const { ask } = await withKey({ ...stop, max_value: 3_000 });
    const silent = openAnswer({ deltas: ['words'] });
    gateway.pool[0]?.at.next(silent.script, textResponse({ usage }));
    const [first, second] = [await ask(), await ask(jsonRequest, '/v1/responses')];
    expect(second.status).toBe(200);
    expect(await first.text()).toContain('rate_limit_exceeded');
    silent.finish();
  });

  test('lets open streams finish once it is raised or finishes streams', async () => {
    const { id, ask } = await withKey(stop);
    const { promise: begins, resolve: begin } = Promise.withResolvers<void>();
    gateway.pool[0]?.at.always(delayedUntil(begins, longAnswer()));
    const response = ask();
    await vi.waitUntil(() => gateway.pool[0]?.at.inFlight === 1, waitOptions);
    const finish = { limit_type: 'total_tokens', limit_window: 'daily', max_value: 1_000, on_exceeded: 'finish' };
    await gateway.api('PATCH', `/api/api-keys/${id}`, { limits: [finish] });
    begin();
    expect(await (await response).text()).toContain('response.completed');
  });

  test('delivers a response whose end has arrived', async () => {
    const { ask } = await withKey(stop);
    gateway.pool[0]?.at.always(textResponse({ deltas: ['words'], usage }));
    expect(await (await ask()).text()).toContain('response.completed');
    expect((await ask()).status).toBe(429);
  });
});
