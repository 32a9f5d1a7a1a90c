import { describe, expect, test } from 'vitest';
import { readEnding } from './ending.ts';

const event = (type: string, response: unknown, more = {}) => ({
  type,
  data: JSON.stringify({ type, response, ...more }),
  start: 0,
  end: 0,
});
const quick = { needsOutput: false };
const whole = { needsOutput: true };
const usage = {
  input_tokens: 120,
  input_tokens_details: { cached_tokens: 100 },
  output_tokens: 30,
  output_tokens_details: { reasoning_tokens: 10 },
  total_tokens: 150,
};
const counted = { inputTokens: 120, cachedInputTokens: 100, outputTokens: 30, reasoningTokens: 10, isEstimated: false };

describe.each([
  ['without its items', quick],
  ['with its items', whole],
])('an ending read %s', (_name, options) => {
  test('tells the usage', () =>
    expect(readEnding(event('response.completed', { output: [], usage }), options)).toMatchObject({
      kind: 'completed',
      usage: counted,
    }));

  test('takes the usage of the response, not one that a text or a tool speaks of', () => {
    const talk = { text: '"usage":{"input_tokens":9,"output_tokens":9}' };
    const tools = [{ parameters: { properties: { usage: { type: 'object' } } } }];
    const response = { output: [talk], usage, tools };
    expect(readEnding(event('response.completed', response), options).usage).toEqual(counted);
  });

  test.each([undefined, null, {}, 'none', { input_tokens: -1 }, { input_tokens: 1e300 }])(
    'knows no usage when the provider says %o',
    (said) => {
      const tools = [{ parameters: { properties: { usage: { type: 'object' } } } }];
      const response = { tools, ...(said !== undefined && { usage: said }) };
      expect(readEnding(event('response.completed', response), options).usage).toBeUndefined();
    },
  );

  test('never takes more cached tokens than there are input tokens', () => {
    const odd = { ...usage, input_tokens: 5 };
    expect(readEnding(event('response.completed', { usage: odd }), options).usage?.cachedInputTokens).toBe(5);
  });

  test("of a failure tells the provider's code and words", () => {
    const response = { error: { code: 'Context_Length_Exceeded', message: 'too long' } };
    expect(readEnding(event('response.failed', response), options)).toMatchObject({
      kind: 'failed',
      error: { code: 'context_length_exceeded', message: 'too long' },
    });
  });

  test('that is no JSON counts as an error', () =>
    expect(readEnding({ type: 'response.completed', data: '{"type":', start: 0, end: 0 }, options).kind).toBe('error'));
});

test('the items come with it when they are wanted', () => {
  const output = [{ id: 'msg_1' }];
  expect(readEnding(event('response.completed', { output, usage }), whole).output).toEqual(output);
});
