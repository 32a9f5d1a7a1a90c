import { expect, test } from 'vitest';
import { estimateOf } from './estimate.ts';

const size = { inputTokens: 10, maxOutputTokens: null, serviceTier: null };
const [unknown, known] = [
  { outputTokens: 2_048, source: 'default' },
  { outputTokens: 9_000, source: 'key' },
] as const;

test.each([
  ['what is expected', null, known, 9_000, 'key'],
  ['the maximum of the client below that', 500, known, 500, 'request'],
  ['what is expected below the maximum of the client', 50_000, known, 9_000, 'key'],
  ['the default without a maximum', null, unknown, 2_048, 'default'],
  ['the maximum of the client when nothing is known', 50_000, unknown, 50_000, 'request'],
])('estimates %s', (_what, maxOutputTokens, expected, outputTokens, source) =>
  expect(estimateOf({ ...size, maxOutputTokens }, expected, undefined)).toEqual({
    usage: { inputTokens: 10, outputTokens, costMicroDollars: 0 },
    source,
  }),
);

test('estimates the cost by the price of the model', () => {
  const price = { model: 'gpt-5', input: 1, cachedInput: 0, output: 10 };
  expect(estimateOf(size, known, price).usage.costMicroDollars).toBe(90_010);
});
