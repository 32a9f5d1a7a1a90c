import fc from 'fast-check';
import { expect, test } from 'vitest';
import { costOf } from './cost.ts';
import { builtInPrices } from './prices.ts';

const price = { model: 'gpt-5*', input: 1.25, cachedInput: 0.125, output: 10 };
const usage = (changes: Partial<Parameters<typeof costOf>[0]> = {}) => ({
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  ...changes,
});

test('a million tokens cost the price in dollars', () => {
  expect(costOf(usage({ inputTokens: 1_000_000 }), price)).toBe(1_250_000);
  expect(costOf(usage({ outputTokens: 1_000_000 }), price)).toBe(10_000_000);
});

test('cached input tokens are part of the input and cost less', () =>
  expect(costOf(usage({ inputTokens: 1_000, cachedInputTokens: 800 }), price)).toBe(200 * 1.25 + 800 * 0.125));

test('more cached tokens than input tokens count as all of them', () =>
  expect(costOf(usage({ inputTokens: 80, cachedInputTokens: 800 }), price)).toBe(10));

test('reasoning tokens are part of the output and cost nothing more', () =>
  expect(costOf(usage({ outputTokens: 100, reasoningTokens: 60 }), price)).toBe(1_000));

test('when the output is missing, reasoning stands for it', () =>
  expect(costOf(usage({ reasoningTokens: 60 }), price)).toBe(600));

test('a multiplier on reasoning changes its share only', () => {
  const dear = { ...price, reasoningMultiplier: 1.5 };
  expect(costOf(usage({ outputTokens: 100, reasoningTokens: 60 }), dear)).toBe(40 * 10 + 60 * 15);
  expect(costOf(usage({ outputTokens: 100 }), dear)).toBe(1_000);
});

test('costs are whole micro-dollars, never negative, and more tokens never cost less', () => {
  const some = fc.record({
    inputTokens: fc.nat({ max: 1e7 }),
    cachedInputTokens: fc.nat({ max: 1e7 }),
    outputTokens: fc.nat({ max: 1e7 }),
    reasoningTokens: fc.nat({ max: 1e7 }),
  });
  fc.assert(
    fc.property(some, fc.constantFrom(...builtInPrices.models), fc.nat({ max: 1_000 }), (used, model, more) => {
      const cost = costOf(used, model);
      expect(Number.isSafeInteger(cost)).toBe(true);
      expect(cost).toBeGreaterThanOrEqual(0);
      expect(costOf({ ...used, outputTokens: used.outputTokens + more }, model)).toBeGreaterThanOrEqual(cost);
      expect(costOf({ ...used, inputTokens: used.inputTokens + more }, model)).toBeGreaterThanOrEqual(cost);
    }),
  );
});
