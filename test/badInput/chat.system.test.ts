import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chatPath } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { runs, thoroughness } from '../support/runs.ts';
import { problemsOf } from './support/badRequest.ts';
import { mutation, pathsIn, replaceAt } from './support/mutations.ts';
import { reportsOf, upstreamRequests } from './support/sendBadRequests.ts';

/** BAD_INPUT_SEED=... reproduces a counterexample. */
const seed = Number(process.env.BAD_INPUT_SEED ?? 20_261_121);
const seeded = (count: number) => ({ seed, ...runs(count) });
const LONG = 60_000 * Math.max(1, thoroughness);

let gateway: Gateway;
const outcomes = { rejected: 0, forwarded: 0 };
beforeAll(async () => {
  // Rejects the bodies that the real provider rejects, so it detects what must not be forwarded.
  gateway = await startGateway();
  gateway.pool[0]?.at.always(textResponse({ text: 'Yes' }));
});
afterAll(async () => {
  process.stdout.write(`chats: ${outcomes.rejected} rejected, ${outcomes.forwarded} forwarded\n`);
  await gateway.stop();
});

const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } };
const patch = { id: 'call_2', type: 'custom', custom: { name: 'patch', input: '*** Begin' } };

/** A chat with every kind of content. */
const fullChat = {
  model: 'gpt-5.1',
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'developer', content: [{ type: 'text', text: 'Answer in JSON.' }] },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
        { type: 'file', file: { filename: 'a.pdf', file_data: 'AAAA', mime_type: 'application/pdf' } },
      ],
    },
    { role: 'assistant', content: 'One moment.', refusal: null, tool_calls: [call, patch] },
    { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
    { role: 'tool', tool_call_id: 'call_2', content: [{ type: 'text', text: 'done' }] },
    { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
    { role: 'user', content: 'Go on.' },
  ],
  tools: [
    { type: 'function', function: { name: 'weather', description: 'd', parameters: { type: 'object' }, strict: true } },
    {
      type: 'custom',
      custom: { name: 'patch', format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'x' } } },
    },
  ],
  tool_choice: {
    type: 'allowed_tools',
    allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'weather' } }] },
  },
  response_format: { type: 'json_schema', json_schema: { name: 'thing', schema: { type: 'object' }, strict: true } },
  reasoning_effort: 'low',
  verbosity: 'low',
  web_search_options: { search_context_size: 'low', user_location: { approximate: { country: 'CH' } } },
  stream: true,
  stream_options: { include_usage: true },
  n: 1,
  logprobs: true,
  max_completion_tokens: 100,
  max_tokens: 100,
  temperature: 0.5,
  stop: ['x'],
  modalities: ['text'],
  service_tier: 'auto',
  parallel_tool_calls: true,
  prompt_cache_key: 'thread',
  user: 'user-1',
};

/**
 * Sends a body that must be rejected, or forwarded and accepted by the provider.
 * @returns the field in the error
 */
async function expectRejectedOrForwarded(body: string | Uint8Array): Promise<string | undefined> {
  const before = upstreamRequests(gateway);
  const response = await gateway.ask(body, { path: chatPath });
  const text = await response.text();
  if (upstreamRequests(gateway) > before) {
    outcomes.forwarded++;
    expect(response.status, text).toBe(200);
    expect(text).toContain('Yes');
    return undefined;
  }
  outcomes.rejected++;
  const rejection = { status: response.status, headers: Object.fromEntries(response.headers), text };
  expect(problemsOf(rejection, { status: 400, code: 'invalid_request_error' })).toEqual([]);
  return JSON.parse(text).error.param;
}

test('rejects arbitrary values in a chat with their path, or forwards them', { timeout: LONG }, () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...pathsIn(fullChat)),
      fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(null, '', [], {}, [null], [{}], 'audio', ['audio'])),
      async (place, value) => {
        const param = await expectRejectedOrForwarded(JSON.stringify(replaceAt(fullChat, place, value)));
        if (param === undefined) return;
        const name = place.join('.');
        expect(isNear(param, name), `${param} for ${name}`).toBe(true);
      },
    ),
    seeded(600),
  ),
);

/** Whether one path contains the other, or both have the same parent: the error of a part may name its type instead. */
function isNear(param: string, place: string): boolean {
  const isWithin = (inner: string, outer: string) => `${inner}.`.startsWith(`${outer}.`);
  const parent = place.slice(0, Math.max(0, place.lastIndexOf('.')));
  return isWithin(param, place) || isWithin(place, param) || (parent !== '' && isWithin(param, parent));
}

test('rejects mutated chats, or forwards them', { timeout: LONG }, () =>
  fc.assert(
    fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 3 }), async (mutations) => {
      const body = Buffer.from(JSON.stringify(fullChat));
      await expectRejectedOrForwarded(mutations.reduce<Uint8Array>((bytes, mutate) => mutate(bytes), body));
    }),
    seeded(300),
  ),
);

test('reports nothing, and logs every forwarded request', () => {
  expect(reportsOf(gateway)).toEqual([]);
  expect(gateway.events('RequestCompleted')).toHaveLength(upstreamRequests(gateway));
  expect(outcomes.forwarded).toBeGreaterThan(100);
  expect(outcomes.rejected).toBeGreaterThan(100);
});
