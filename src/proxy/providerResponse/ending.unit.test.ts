import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readEnding } from './ending.ts';

const event = (type: string, response: unknown, more = {}) => ({
  type,
  data: JSON.stringify({ type, response, ...more }),
  start: 0,
  end: 0,
});
const withoutOutput = { needsOutput: false };
const withOutput = { needsOutput: true };
const usage = {
  input_tokens: 120,
  input_tokens_details: { cached_tokens: 100 },
  output_tokens: 30,
  output_tokens_details: { reasoning_tokens: 10 },
  total_tokens: 150,
};
const parsed = { inputTokens: 120, cachedInputTokens: 100, outputTokens: 30, reasoningTokens: 10, isEstimated: false };

describe.each([
  ['without its output', withoutOutput],
  ['with its output', withOutput],
])('a terminal event read %s', (_name, options) => {
  test('has the usage', () =>
    expect(readEnding(event('response.completed', { output: [], usage }), options)).toMatchObject({
      kind: 'completed',
      usage: parsed,
    }));

  test('has the usage of the response, not one in a text or a tool', () => {
    const talk = { text: '"usage":{"input_tokens":9,"output_tokens":9}' };
    const tools = [{ parameters: { properties: { usage: { type: 'object' } } } }];
    const response = { output: [talk], usage, tools };
    expect(readEnding(event('response.completed', response), options).usage).toEqual(parsed);
  });

  test('has the usage of the response, not a later one nested deeper', () => {
    const other = { ...usage, input_tokens: 9, input_tokens_details: { cached_tokens: 9 } };
    for (const nested of [other, { ...other, more: 1 }]) {
      const response = { output: [], usage, metadata: { usage: nested } };
      expect(readEnding(event('response.completed', response), options).usage).toEqual(parsed);
    }
  });

  test.each([undefined, null, {}, 'none', { input_tokens: -1 }, { input_tokens: 1e300 }])(
    'has no usage for %o',
    (value) => {
      const tools = [{ parameters: { properties: { usage: { type: 'object' } } } }];
      const response = { tools, ...(value !== undefined && { usage: value }) };
      expect(readEnding(event('response.completed', response), options).usage).toBeUndefined();
    },
  );

  test('never has more cached tokens than input tokens', () => {
    const odd = { ...usage, input_tokens: 5 };
    expect(readEnding(event('response.completed', { usage: odd }), options).usage?.cachedInputTokens).toBe(5);
  });

  test('has the code and the message of a failure', () => {
    const response = { error: { code: 'Context_Length_Exceeded', message: 'too long' } };
    expect(readEnding(event('response.failed', response), options)).toMatchObject({
      kind: 'failed',
      error: { code: 'context_length_exceeded', message: 'too long' },
    });
  });

  test('is an error when it is not JSON', () =>
    expect(readEnding({ type: 'response.completed', data: '{"type":', start: 0, end: 0 }, options).kind).toBe('error'));
});

test('reads the same usage with and without the output', () => {
  const count = fc.oneof(
    fc.nat(2_000_000),
    fc.constantFrom<unknown>(0, -1, 1.5, 999_999_999, 1_000_000_000, 1e21, null, '7', undefined),
  );
  const usages = fc.record({ input: count, cached: count, output: count, reasoning: count, total: count });
  const arrange = fc.constantFrom(
    (u: object) => u,
    (u: object) => Object.fromEntries(Object.entries(u).reverse()),
    (u: object) => ({ ...u, more: 1 }),
    ({ input_tokens, output_tokens }: typeof usage) => ({ input_tokens, output_tokens }),
  );
  const around = fc.constantFrom({}, { metadata: {}, store: true }, { user: 'a name }' }, { text: { format: {} } });
  let read = 0;
  fc.assert(
    fc.property(usages, arrange, around, fc.boolean(), (counts, form, more, isNumbered) => {
      const one = form({
        input_tokens: counts.input,
        input_tokens_details: { cached_tokens: counts.cached },
        output_tokens: counts.output,
        output_tokens_details: { reasoning_tokens: counts.reasoning },
        total_tokens: counts.total,
      } as typeof usage);
      const ending = event('response.completed', { usage: one, ...more }, isNumbered ? { sequence_number: 7 } : {});
      const { usage: found } = readEnding(ending, withoutOutput);
      expect(found).toEqual(readEnding(ending, withOutput).usage);
      if (found) read += 1;
    }),
    { seed: 20_261_122, numRuns: 2_000 },
  );
  expect(read).toBeGreaterThan(500);
});

test('returns the output on request', () => {
  const output = [{ id: 'msg_1' }];
  expect(readEnding(event('response.completed', { output, usage }), withOutput).output).toEqual(output);
});
