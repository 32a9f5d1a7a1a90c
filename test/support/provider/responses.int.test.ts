import { expect, test } from 'vitest';
import { acceptableBody, eventsIn } from './client.ts';
import {
  completedWithoutOutput,
  functionCall,
  incompleteResponse,
  parallelToolCalls,
  reasoningResponse,
  textResponse,
} from './scripts.ts';
import { useProvider } from './useProvider.ts';

const given = useProvider();

test('textResponse sends every event, numbered, and an estimate of its usage', async () => {
  const events = await given.eventsOf(textResponse({ text: 'Hi there' }));
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

test('textResponse sends the given usage, or none', async () => {
  const withUsage = await given.eventsOf(
    textResponse({ usage: { inputTokens: 1000, cachedTokens: 900, outputTokens: 10 } }),
  );
  expect(withUsage.at(-1)?.data.response.usage).toMatchObject({
    input_tokens: 1000,
    input_tokens_details: { cached_tokens: 900 },
    total_tokens: 1010,
  });
  const without = await given.eventsOf(textResponse({ usage: null }));
  expect(without.at(-1)?.data.response.usage).toBeNull();
});

test('parallelToolCalls interleaves the arguments, and completes them in the end', async () => {
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

test('functionCall has a name, a call id and arguments', async () => {
  const events = await given.eventsOf(functionCall('shell', { command: ['ls'] }));
  expect(events.at(-1)?.data.response.output).toMatchObject([
    { type: 'function_call', name: 'shell', call_id: expect.stringMatching(/^call_/), arguments: '{"command":["ls"]}' },
  ]);
});

test('reasoningResponse sends reasoning before the text, encrypted content only on request', async () => {
  const plain = await given.eventsOf(reasoningResponse());
  expect(plain.at(-1)?.data.response.output.map(({ type }: { type: string }) => type)).toEqual([
    'reasoning',
    'message',
  ]);
  expect(plain.at(-1)?.data.response.usage.output_tokens_details.reasoning_tokens).toBeGreaterThan(0);
  expect(JSON.stringify(plain)).not.toContain('encrypted_content');
  const body = { ...acceptableBody, include: ['reasoning.encrypted_content'] };
  const encrypted = await given.eventsOf(reasoningResponse(), { body });
  expect(encrypted.at(-1)?.data.response.output[0].encrypted_content).toEqual(expect.any(String));
});

test('sends exactly one compaction item when requested', async () => {
  const body = { ...acceptableBody, input: [...acceptableBody.input, { type: 'compaction_trigger' }] };
  const events = eventsIn(await (await given.send({ body })).text());
  expect(events.at(-1)?.data.response.output).toMatchObject([
    { type: 'compaction', encrypted_content: expect.any(String) },
  ]);
});

test('incompleteResponse ends with its reason', async () => {
  const events = await given.eventsOf(incompleteResponse());
  expect(events.at(-1)?.data).toMatchObject({
    type: 'response.incomplete',
    response: { incomplete_details: { reason: 'max_output_tokens' } },
  });
});

test('completedWithoutOutput ends with an empty output after its items', async () => {
  const events = await given.eventsOf(completedWithoutOutput());
  expect(events.some(({ event }) => event === 'response.output_item.done')).toBe(true);
  expect(events.at(-1)?.data.response).toMatchObject({ output: [], usage: { output_tokens: expect.any(Number) } });
});
