import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY, deepFreeze, later, limitRule, NOW } from '../../../test/support/specification.ts';
import type { Instant } from '../core/brands.ts';
import type { LimitRule } from '../limits/limitRule.ts';
import { type AdmitInput, admit } from './admit.ts';
import { count, newCounters, usedAt } from './counters.ts';
import { appliesTo } from './limitRule.ts';
import { amountOf, type Consumption, ceilingOf } from './limitTypes.ts';

const tokensOf = (inputTokens: number): Consumption => ({ inputTokens, outputTokens: 0, costMicroDollars: 0 });
const usedUp = (rules: readonly LimitRule[], inputTokens: number, admittedAt: Instant = NOW) => {
  const counters = newCounters();
  count(counters, rules, { model: 'gpt-5', admittedAt, consumption: tokensOf(inputTokens) });
  return counters;
};
const ask = (changes: Partial<AdmitInput>) =>
  admit({
    rules: [limitRule()],
    model: 'gpt-5',
    counters: undefined,
    reservedOn: () => 0,
    estimate: tokensOf(300),
    now: NOW,
    ...changes,
  });

test('admits everything and reserves nothing without rules', () =>
  expect(ask({ rules: [] })).toEqual({ kind: 'admitted', reservations: [], alreadyReserved: [] }));

test('reserves the estimate on an unused limit', () =>
  expect(ask({})).toEqual({ kind: 'admitted', reservations: [[1, 300]], alreadyReserved: [[1, 0]] }));

test('sequential requests can use a limit up to its ceiling', () => {
  const rules = [limitRule()];
  const counters = newCounters();
  const verdicts = Array.from({ length: 5 }, () => {
    const verdict = ask({ rules, counters });
    if (verdict.kind === 'admitted') {
      count(counters, rules, { model: 'gpt-5', admittedAt: NOW, consumption: tokensOf(300) });
    }
    return verdict.kind === 'admitted' ? verdict.reservations : verdict.kind;
  });
  expect(verdicts).toEqual([[[1, 300]], [[1, 300]], [[1, 300]], [[1, 300]], 'refused']);
});

test('admits one token below the ceiling, whatever the estimate', () => {
  const rules = [limitRule()];
  const verdict = ask({ rules, counters: usedUp(rules, 999), estimate: tokensOf(1_000_000) });
  expect(verdict).toMatchObject({ kind: 'admitted', reservations: [[1, 1_000_000]] });
});

test('refuses at the ceiling with the rule, the counted amount and the reset time', () => {
  const rules = [limitRule()];
  expect(ask({ rules, counters: usedUp(rules, 1_000) })).toEqual({
    kind: 'refused',
    rule: rules[0],
    counted: 1_000,
    reserved: 0,
    ceiling: 1_000,
    resetAt: later(DAY),
    alreadyReserved: [[1, 0]],
  });
});

test('counts reservations of other requests as used', () => {
  const rules = [limitRule()];
  const counters = usedUp(rules, 600);
  expect(ask({ rules, counters, reservedOn: () => 399 })).toMatchObject({ kind: 'admitted' });
  expect(ask({ rules, counters, reservedOn: () => 400 })).toMatchObject({
    kind: 'refused',
    counted: 600,
    reserved: 400,
  });
});

test('admits again in a new window', () => {
  const rules = [limitRule()];
  const counters = usedUp(rules, 5_000);
  expect(ask({ rules, counters, now: later(DAY - 1) }).kind).toBe('refused');
  expect(ask({ rules, counters, now: later(DAY) }).kind).toBe('admitted');
});

test('names the first applicable rule that is used up', () => {
  const rules = [
    limitRule({ id: 1, maxValue: 5_000 }),
    limitRule({ id: 2 }),
    limitRule({ id: 3, limitWindow: 'weekly' }),
  ];
  expect(ask({ rules, counters: usedUp(rules, 1_000) })).toMatchObject({ kind: 'refused', rule: { id: 2 } });
});

test('ignores rules for other models', () => {
  const rules = [limitRule({ id: 1, modelFilter: 'gpt-5.1', maxValue: 1 }), limitRule({ id: 2 })];
  expect(ask({ rules, reservedOn: (id) => (id === 1 ? 99 : 0) })).toEqual({
    kind: 'admitted',
    reservations: [[2, 300]],
    alreadyReserved: [[2, 0]],
  });
});

test('converts ceiling and reservation of a dollar limit to micro-dollars', () => {
  const rules = [limitRule({ limitType: 'cost_usd', maxValue: 2 })];
  const estimate = { inputTokens: 9, outputTokens: 9, costMicroDollars: 2_500_000 };
  expect(ask({ rules, estimate })).toMatchObject({ reservations: [[1, 2_500_000]] });
});

test('admits a model without a price and reserves nothing on a dollar limit', () =>
  expect(ask({ rules: [limitRule({ limitType: 'cost_usd', maxValue: 2 })] })).toMatchObject({
    reservations: [[1, 0]],
  }));

const amounts = fc.record({
  inputTokens: fc.nat({ max: 400 }),
  outputTokens: fc.nat({ max: 400 }),
  costMicroDollars: fc.nat({ max: 900_000 }),
});
const rulesOfAKey = fc.uniqueArray(
  fc.record({
    id: fc.integer({ min: 1, max: 9 }),
    limitType: fc.constantFrom('total_tokens', 'input_tokens', 'output_tokens', 'cost_usd'),
    limitWindow: fc.constantFrom('daily', 'weekly', 'monthly'),
    maxValue: fc.integer({ min: 1, max: 1_500 }),
    modelFilter: fc.constantFrom(null, 'gpt-5', 'gpt-5.1'),
    createdAt: fc.constant(NOW),
    onExceeded: fc.constantFrom('finish', 'stop'),
  }),
  { maxLength: 5, selector: ({ id }) => id },
);
const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('ask'), model: fc.constantFrom('gpt-5', 'gpt-5.1'), estimate: amounts }),
    fc.record({ kind: fc.constant('settle'), which: fc.nat(), usage: amounts }),
  ),
  { maxLength: 60 },
);

interface Open {
  readonly model: string;
  readonly reservations: readonly (readonly [number, number])[];
}
const reservedBy = (open: readonly Open[]) => (ruleId: number) =>
  open.flatMap(({ reservations }) => reservations).reduce((sum, [id, amount]) => sum + (id === ruleId ? amount : 0), 0);

test('admits only below every ceiling, and reserves the full estimate', () => {
  fc.assert(
    fc.property(rulesOfAKey, steps, (rules, list) => {
      const counters = newCounters();
      const open: Open[] = [];
      const reservedOn = reservedBy(open);
      for (const step of list) {
        if (step.kind === 'settle') {
          const [settled] = open.splice(step.which % Math.max(1, open.length), 1);
          if (settled) count(counters, rules, { model: settled.model, admittedAt: NOW, consumption: step.usage });
          continue;
        }
        const { model, estimate } = step;
        const applicable = rules.filter((rule) => appliesTo(rule, model));
        const left = applicable.map((rule) => ceilingOf(rule) - usedAt(counters, rule, NOW) - reservedOn(rule.id));
        const verdict = ask({ rules: deepFreeze(rules), model, counters, reservedOn, estimate });
        expect(verdict.kind === 'admitted').toBe(left.every((amount) => amount > 0));
        if (verdict.kind === 'refused') {
          expect(verdict.counted + verdict.reserved).toBeGreaterThanOrEqual(verdict.ceiling);
          continue;
        }
        expect(verdict.reservations).toEqual(
          applicable.map(({ id, limitType }) => [id, amountOf(limitType, estimate)]),
        );
        open.push({ model, reservations: verdict.reservations });
      }
    }),
  );
});

test('exceeds a limit by less than one request if estimates hold, in any order', () => {
  const waves = fc.array(
    fc.record({ isAsked: fc.boolean(), which: fc.nat(), used: fc.integer({ min: 1, max: 300 }) }),
    {
      minLength: 20,
      maxLength: 100,
    },
  );
  fc.assert(
    fc.property(waves, (steps) => {
      const rules = [limitRule()];
      const counters = newCounters();
      const open: Open[] = [];
      const settle = (which: number, used: number) => {
        if (open.splice(which % Math.max(1, open.length), 1).length === 0) return;
        count(counters, rules, { model: 'gpt-5', admittedAt: NOW, consumption: tokensOf(used) });
      };
      for (const { isAsked, which, used } of steps) {
        if (!isAsked) settle(which, used);
        const verdict = ask({ rules, counters, reservedOn: reservedBy(open) });
        if (verdict.kind === 'admitted') open.push({ model: 'gpt-5', reservations: verdict.reservations });
      }
      while (open.length > 0) settle(0, 300);
      expect(usedAt(counters, limitRule(), NOW)).toBeLessThan(1_000 + 300);
    }),
  );
});

test('replays the verdict from the recorded estimate and reservations', () => {
  fc.assert(
    fc.property(
      rulesOfAKey,
      amounts,
      amounts,
      fc.array(fc.nat({ max: 2_000 }), { minLength: 9, maxLength: 9 }),
      (rules, used, estimate, held) => {
        const counters = newCounters();
        count(counters, rules, { model: 'gpt-5', admittedAt: NOW, consumption: used });
        const first = ask({ rules, counters, estimate, reservedOn: (id) => held[id - 1] ?? 0 });
        const recorded = new Map(first.alreadyReserved);
        expect(ask({ rules, counters, estimate, reservedOn: (id) => recorded.get(id) ?? 0 })).toEqual(first);
      },
    ),
  );
});
