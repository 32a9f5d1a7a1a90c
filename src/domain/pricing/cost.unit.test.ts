import fc from 'fast-check';
import { expect, test } from 'vitest';
import { builtInPrices } from './builtInPrices.ts';
import { costOf } from './cost.ts';
import { costTerms } from './costTerms.ts';
import type { ModelPrice } from './prices.ts';

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

test('treats more cached than input tokens as all input tokens', () =>
  expect(costOf(usage({ inputTokens: 80, cachedInputTokens: 800 }), price)).toBe(10));

test('reasoning tokens are part of the output', () =>
  expect(costOf(usage({ outputTokens: 100, reasoningTokens: 60 }), price)).toBe(1_000));

test('uses reasoning tokens when the output is missing', () =>
  expect(costOf(usage({ reasoningTokens: 60 }), price)).toBe(600));

test('a reasoning multiplier changes only its share', () => {
  const dear = { ...price, reasoningMultiplier: 1.5 };
  expect(costOf(usage({ outputTokens: 100, reasoningTokens: 60 }), dear)).toBe(40 * 10 + 60 * 15);
  expect(costOf(usage({ outputTokens: 100 }), dear)).toBe(1_000);
});

test('a tier multiplies everything', () => {
  const tiered = { ...price, reasoningMultiplier: 2, tiers: { priority: 2, flex: 0.5 } };
  const used = usage({ inputTokens: 1_000, cachedInputTokens: 800, outputTokens: 100, reasoningTokens: 60 });
  const usual = 200 * 1.25 + 800 * 0.125 + 160 * 10;
  expect(costOf(used, tiered)).toBe(usual);
  expect(costOf(used, tiered, 'priority')).toBe(2 * usual);
  expect(costOf(used, tiered, 'flex')).toBe(usual / 2);
});

test.each(['scale', 'constructor', '__proto__'])('the unlisted tier %j costs the default', (tier) => {
  const used = usage({ inputTokens: 1_000 });
  expect(costOf(used, { ...price, tiers: { priority: 2 } }, tier)).toBe(1_250);
  expect(costOf(used, price, tier)).toBe(1_250);
});

test('long-context prices apply above the threshold, not at it', () => {
  const long = { ...price, longContext: { aboveInputTokens: 1_000, inputFactor: 2, outputFactor: 1.5 } };
  expect(costOf(usage({ inputTokens: 1_000, outputTokens: 100 }), long)).toBe(1_250 + 1_000);
  expect(costOf(usage({ inputTokens: 2_000, outputTokens: 100 }), long)).toBe(2 * 2_500 + 1_500);
});

test('costs are whole micro-dollars, never negative, and more tokens never cost less', () => {
  const some = fc.record({
    inputTokens: fc.nat({ max: 1e7 }),
    cachedInputTokens: fc.nat({ max: 1e7 }),
    outputTokens: fc.nat({ max: 1e7 }),
    reasoningTokens: fc.nat({ max: 1e7 }),
  });
  fc.assert(
    fc.property(some, fc.constantFrom(...builtInPrices), fc.nat({ max: 1_000 }), (used, model, more) => {
      const cost = costOf(used, model);
      expect(Number.isSafeInteger(cost)).toBe(true);
      expect(cost).toBeGreaterThanOrEqual(0);
      expect(costOf({ ...used, outputTokens: used.outputTokens + more }, model)).toBeGreaterThanOrEqual(cost);
      expect(costOf({ ...used, inputTokens: used.inputTokens + more }, model)).toBeGreaterThanOrEqual(cost);
    }),
  );
});

test('is the rounded sum of its terms, at every price and length', () => {
  const tokens = fc.nat({ max: 2_000_000 });
  const amount = fc.constantFrom(0, 0.125, 1.25, 10);
  const prices = fc.record({
    model: fc.constant('m'),
    input: amount,
    cachedInput: amount,
    output: amount,
    reasoningMultiplier: fc.constantFrom(undefined, 1, 1.5, 0.5),
    longContext: fc.constantFrom(undefined, { aboveInputTokens: 272_000, inputFactor: 2, outputFactor: 1.5 }),
    tiers: fc.constantFrom(undefined, { flex: 0.5 }),
  });
  const used = fc.record({
    inputTokens: tokens,
    cachedInputTokens: tokens,
    outputTokens: tokens,
    reasoningTokens: tokens,
  });
  fc.assert(
    fc.property(used, prices, fc.constantFrom(null, 'flex', 'priority'), (ofRequest, found, tier) => {
      const price = JSON.parse(JSON.stringify(found)) as ModelPrice;
      const sum = costTerms(ofRequest, price, tier).reduce((total, term) => total + term.microDollars, 0);
      expect(Math.abs(sum - costOf(ofRequest, price, tier))).toBeLessThan(0.51);
    }),
  );
});
