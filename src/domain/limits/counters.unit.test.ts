import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY, earlier, HOUR, later, limitRule, NOW } from '../../../test/support/specification.ts';
import type { Instant } from '../core/brands.ts';
import type { LimitRule } from '../limits/limitRule.ts';
import { count, newCounters, uncount, usedAt } from './counters.ts';
import { appliesTo } from './limitRule.ts';
import { amountOf, ceilingOf, type LimitType, limitTypeNames } from './limitTypes.ts';

const consumption = { inputTokens: 70, outputTokens: 30, costMicroDollars: 1_500 };
const request = (admittedAt: Instant = NOW, model = 'gpt-5', amount = consumption) => ({
  model,
  admittedAt,
  consumption: amount,
});
const daily = limitRule();

function counted(rules: readonly LimitRule[], ...requests: ReturnType<typeof request>[]) {
  const counters = newCounters();
  for (const each of requests) count(counters, rules, each);
  return counters;
}

const AMOUNTS: Record<LimitType, number> = {
  total_tokens: 100,
  input_tokens: 70,
  output_tokens: 30,
  cost_usd: 1_500,
};

test('each limit type counts its own amount', () => {
  for (const limitType of limitTypeNames) expect(amountOf(limitType, consumption)).toBe(AMOUNTS[limitType]);
});

test('counts a dollar limit in micro-dollars', () => {
  expect(ceilingOf(limitRule({ limitType: 'cost_usd', maxValue: 3 }))).toBe(3_000_000);
  expect(ceilingOf(limitRule({ maxValue: 3 }))).toBe(3);
});

test('adds up the requests of a window on every rule', () => {
  const cost = limitRule({ id: 2, limitType: 'cost_usd', limitWindow: 'monthly' });
  const counters = counted([daily, cost], request(), request(later(HOUR)));
  expect(usedAt(counters, daily, later(HOUR))).toBe(200);
  expect(usedAt(counters, cost, later(HOUR))).toBe(3_000);
});

test('starts each window at zero', () => {
  const counters = counted([daily], request());
  expect(usedAt(counters, daily, later(DAY - 1))).toBe(100);
  expect(usedAt(counters, daily, later(DAY))).toBe(0);
});

test('counts usage in the window in which the request was admitted', () => {
  const counters = counted([daily], request(later(DAY - 1)));
  expect(usedAt(counters, daily, later(DAY))).toBe(0);
});

test('adds nothing to the next window for a request that ends late', () => {
  const counters = counted([daily], request(later(DAY)), request(later(DAY - 1)));
  expect(usedAt(counters, daily, later(DAY))).toBe(100);
});

test('keeps the counts of both windows when the clock was ahead for a moment', () => {
  for (const rule of [daily, limitRule({ limitWindow: 'monthly' })]) {
    const counters = counted([rule], request(), request(later(400 * DAY)), request(later(HOUR)));
    expect(usedAt(counters, rule, later(HOUR))).toBe(200);
    count(counters, [rule], request(later(40 * DAY)));
    expect(usedAt(counters, rule, later(40 * DAY))).toBe(100);
    expect(usedAt(counters, rule, later(400 * DAY))).toBe(100);
  }
});

test('ignores requests admitted before the rule was created', () => {
  const counters = counted([daily], request(earlier(1)));
  expect(usedAt(counters, daily, NOW)).toBe(0);
  expect(usedAt(counters, daily, earlier(1))).toBe(0);
});

test('counts only requests for the model of the rule', () => {
  const filtered = limitRule({ modelFilter: 'gpt-5' });
  expect(appliesTo(filtered, 'gpt-5')).toBe(true);
  expect(appliesTo(filtered, 'gpt-5.1')).toBe(false);
  expect(appliesTo(filtered, 'GPT-5')).toBe(false);
  expect(appliesTo(daily, 'anything')).toBe(true);
  const counters = counted([filtered], request(), request(NOW, 'gpt-5.1'));
  expect(usedAt(counters, filtered, NOW)).toBe(100);
});

test('reports zero usage for a key without counters', () => expect(usedAt(undefined, daily, NOW)).toBe(0));

test('takes the latest admission as the last use of a key', () => {
  expect(newCounters().lastUsedAt).toBeNull();
  expect(counted([], request(later(HOUR)), request(NOW)).lastUsedAt).toBe(later(HOUR));
});

const rules = [
  daily,
  limitRule({ id: 2, limitWindow: 'weekly', limitType: 'output_tokens' }),
  limitRule({ id: 3, limitWindow: 'monthly', limitType: 'cost_usd', modelFilter: 'gpt-5' }),
];
const requests = (spanMs: number) =>
  fc.array(
    fc
      .record({
        after: fc.integer({ min: 0, max: spanMs - 1 }),
        model: fc.constantFrom('gpt-5', 'gpt-5.1'),
        amount: fc.record({ inputTokens: fc.nat(), outputTokens: fc.nat(), costMicroDollars: fc.nat() }),
      })
      .map(({ after, model, amount }) => request(later(after), model, amount)),
    { maxLength: 20 },
  );
const inTwoOrders = (spanMs: number) =>
  requests(spanMs).chain((list) =>
    fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length })),
  );

test('counts the same within a window in any order of completions', () => {
  fc.assert(
    fc.property(inTwoOrders(DAY), ([list, shuffled]) => {
      const [one, other] = [counted(rules, ...list), counted(rules, ...shuffled)];
      expect(other).toEqual(one);
      const total = list.reduce(
        (sum, { consumption: { inputTokens, outputTokens } }) => sum + inputTokens + outputTokens,
        0,
      );
      expect(usedAt(one, daily, NOW)).toBe(total);
    }),
  );
});

test('counts the same across windows in any order of completions', () => {
  fc.assert(
    fc.property(inTwoOrders(60 * DAY), ([list, shuffled]) => {
      expect(counted(rules, ...shuffled)).toEqual(counted(rules, ...list));
    }),
  );
});

test('subtracts usage in its own window only, never below zero', () => {
  const counters = counted([daily], request(), request(later(HOUR)));
  uncount(counters, [daily], request());
  expect(usedAt(counters, daily, later(HOUR))).toBe(100);
  uncount(counters, [daily], request(earlier(1)));
  uncount(counters, [limitRule({ id: 9 })], request());
  expect(usedAt(counters, daily, NOW)).toBe(100);
  count(counters, [daily], request(later(DAY)));
  uncount(counters, [daily], request(later(HOUR)));
  expect(usedAt(counters, daily, later(DAY))).toBe(100);
  uncount(counters, [daily], request(later(DAY)));
  uncount(counters, [daily], request(later(DAY)));
  expect(usedAt(counters, daily, later(DAY))).toBe(0);
});
