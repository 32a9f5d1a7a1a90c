import { expect, test } from 'vitest';
import { acceptableBody, eventsIn } from './client.ts';
import {
  emptyOutputCompleted,
  functionCall,
  incomplete,
  parallelToolCalls,
  reasoningAnswer,
  textAnswer,
} from './scripts.ts';
import { useProvider } from './useProvider.ts';

const given = useProvider();

test('a text answer has every event, numbered, with an estimate of its usage', async () => {
  const events = await given.eventsOf(textAnswer({ text: 'Hi there' }));
  expect(events.map(({ event }) => event)).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ]);
  expect(events.every(({ event, data }, n) => data.type === event && data.sequence_number === n)).toBe(true);
  const { response } = events.at(-1)?.data ?? {};
  const inputTokens = Math.ceil(JSON.stringify(acceptableBody).length / 4);
  expect(response).toMatchObject({
    object: 'response',
    model: 'gpt-5.5',
    status: 'completed',
    output: [{ role: 'assistant', content: [{ text: 'Hi there' }] }],
  });
  expect(response.usage).toEqual({
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 2,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + 2,
  });
});

test('usage can be told, or left out', async () => {
  const told = await given.eventsOf(textAnswer({ usage: { inputTokens: 1000, cachedTokens: 900, outputTokens: 10 } }));
  expect(told.at(-1)?.data.response.usage).toMatchObject({
    input_tokens: 1000,
    input_tokens_details: { cached_tokens: 900 },
    total_tokens: 1010,
  });
  const silent = await given.eventsOf(textAnswer({ usage: null }));
  expect(silent.at(-1)?.data.response.usage).toBeNull();
});

test('parallel tool calls interleave their arguments and each is whole in the end', async () => {
  const events = await given.eventsOf(parallelToolCalls());
  const deltas = events
    .filter(({ event }) => event === 'response.function_call_arguments.delta')
    .map(({ data }) => data);
  expect(deltas.map(({ output_index }) => output_index)).toEqual([0, 1, 0, 1, 0, 1, 0, 1]);
  const items = events.at(-1)?.data.response.output;
  for (const [index, item] of items.entries()) {
    const joined = deltas.filter(({ output_index }) => output_index === index).map(({ delta }) => delta);
    expect(joined.join('')).toBe(item.arguments);
    expect(JSON.parse(item.arguments)).toHaveProperty('city');
  }
});

test('one function call carries its name, its call id and its arguments', async () => {
  const events = await given.eventsOf(functionCall('shell', { command: ['ls'] }));
  expect(events.at(-1)?.data.response.output).toMatchObject([
    { type: 'function_call', name: 'shell', call_id: expect.stringMatching(/^call_/), arguments: '{"command":["ls"]}' },
  ]);
});

test('reasoning comes before the text, sealed only on request', async () => {
  const plain = await given.eventsOf(reasoningAnswer());
  expect(plain.at(-1)?.data.response.output.map(({ type }: { type: string }) => type)).toEqual([
    'reasoning',
    'message',
  ]);
  expect(plain.at(-1)?.data.response.usage.output_tokens_details.reasoning_tokens).toBeGreaterThan(0);
  expect(JSON.stringify(plain)).not.toContain('encrypted_content');
  const body = { ...acceptableBody, include: ['reasoning.encrypted_content'] };
  const sealed = await given.eventsOf(reasoningAnswer(), { body });
  expect(sealed.at(-1)?.data.response.output[0].encrypted_content).toEqual(expect.any(String));
});

test('a request for compaction gets exactly one compaction item', async () => {
  const body = { ...acceptableBody, input: [...acceptableBody.input, { type: 'compaction_trigger' }] };
  const events = eventsIn(await (await given.ask({ body })).text());
  expect(events.at(-1)?.data.response.output).toMatchObject([
    { type: 'compaction', encrypted_content: expect.any(String) },
  ]);
});

test('an incomplete answer ends with its reason', async () => {
  const events = await given.eventsOf(incomplete());
  expect(events.at(-1)?.data).toMatchObject({
    type: 'response.incomplete',
    response: { incomplete_details: { reason: 'max_output_tokens' } },
  });
});

test('an answer may end with an empty output after its items', async () => {
  const events = await given.eventsOf(emptyOutputCompleted());
  expect(events.some(({ event }) => event === 'response.output_item.done')).toBe(true);
  expect(events.at(-1)?.data.response).toMatchObject({ output: [], usage: { output_tokens: expect.any(Number) } });
});
