import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limitedLevel, onKey } from '../../../test/support/levels.ts';
import { DAY, later, limitRule, NOW } from '../../../test/support/specification.ts';
import type { ApiKeyId } from '../../domain/core/brands.ts';
import { Ledger } from './ledger.ts';

const output = (outputTokens: number) => ({ inputTokens: 0, outputTokens, costMicroDollars: 0 });
const keyId = 'k' as ApiKeyId;
const key = { id: keyId, rules: [1, 2, 3].map((id) => limitRule({ id, limitType: 'output_tokens' })) };

test('counts a reservation until it is settled, then its usage until it is released', () => {
  const ledger = new Ledger();
  const reserved = () => ledger.reservedOn(keyId, 1, NOW);
  ledger.reserve('r1', NOW, onKey(key, [[1, 500]]));
  ledger.reserve('r2', NOW, onKey(key, [[1, 300]]));
  expect(reserved()).toBe(800);
  ledger.settle('r1', output(70));
  expect(reserved()).toBe(370);
  ledger.release('r1');
  expect(reserved()).toBe(300);
  ledger.release('r2');
  expect(reserved()).toBe(0);
  expect(ledger.size).toBe(0);
});

test('grows with a request that turns out longer than its reservation, and never shrinks before the end', () => {
  const ledger = new Ledger();
  const reserved = () => ledger.reservedOn(keyId, 1, NOW);
  ledger.reserve('r1', NOW, onKey(key, [[1, 500]]));
  ledger.reserve('r2', NOW, onKey(key, [[1, 300]]));
  ledger.grow('r1', output(400));
  expect(reserved()).toBe(800);
  ledger.grow('r1', output(1_000));
  expect(reserved()).toBe(1_300);
  ledger.settle('r1', output(70));
  expect(reserved()).toBe(370);
  ledger.release('r1');
  ledger.grow('r1', output(9_000));
  expect(reserved()).toBe(300);
});

test('tells what open requests have used so far from what they reserve', () => {
  const ledger = new Ledger();
  const used = () => ledger.usedOn(keyId, 1, NOW);
  ledger.reserve('r1', NOW, onKey(key, [[1, 500]]));
  ledger.reserve('r2', NOW, onKey(key, [[1, 300]]));
  expect(used()).toBe(0);
  ledger.use('r1', output(40));
  ledger.use('r1', output(60));
  ledger.use('r2', output(5));
  expect(used()).toBe(65);
  ledger.settle('r1', output(70));
  expect(used()).toBe(75);
  ledger.release('r1');
  ledger.use('r1', output(9_000));
  expect(used()).toBe(5);
  expect(ledger.reservedOn(keyId, 1, NOW)).toBe(300);
});

test('counts a request only in the window in which it was admitted', () => {
  const ledger = new Ledger();
  const [today, tomorrow] = [later(DAY - 1), later(DAY)];
  ledger.reserve('r1', today, onKey(key, [[1, 500]]));
  expect([today, tomorrow].map((at) => ledger.reservedOn(keyId, 1, at))).toEqual([500, 0]);
  ledger.reserve('r2', tomorrow, onKey(key, [[1, 300]]));
  ledger.settle('r1', output(70));
  expect([today, tomorrow].map((at) => ledger.reservedOn(keyId, 1, at))).toEqual([70, 300]);
  ledger.release('r1');
  expect([today, tomorrow].map((at) => ledger.reservedOn(keyId, 1, at))).toEqual([0, 300]);
});

test('ignores a second release and the settlement of unknown requests', () => {
  const ledger = new Ledger();
  ledger.reserve('r1', NOW, onKey(key, [[1, 5]]));
  ledger.release('r1');
  ledger.release('r1');
  ledger.settle('r1', output(9));
  ledger.settle('unknown', output(9));
  expect(ledger.reservedOn(keyId, 1, NOW)).toBe(0);
});

test('sums the open requests of each window after any sequence of steps', () => {
  const steps = fc.array(
    fc.record({
      kind: fc.constantFrom('reserve', 'use', 'grow', 'settle', 'release'),
      request: fc.integer({ min: 0, max: 5 }).map(String),
      rule: fc.integer({ min: 1, max: 3 }),
      day: fc.integer({ min: 0, max: 1 }),
      amount: fc.integer({ min: 0, max: 1_000 }),
    }),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(steps, (list) => {
      const ledger = new Ledger();
      const open = new Map<string, { rule: number; day: number; amount: number; used: number }>();
      for (const { kind, request, rule, day, amount } of list) {
        const known = open.get(request);
        if (kind === 'reserve' && !known) {
          ledger.reserve(request, later(day * DAY), onKey(key, [[rule, amount]]));
          open.set(request, { rule, day, amount, used: 0 });
        } else if (kind === 'use') {
          ledger.use(request, output(amount));
          if (known) known.used = amount;
        } else if (kind === 'grow') {
          ledger.grow(request, output(amount));
          if (known) known.amount = Math.max(known.amount, amount);
        } else if (kind === 'settle') {
          ledger.settle(request, output(amount));
          if (known) Object.assign(known, { amount, used: amount });
        } else if (kind === 'release') {
          ledger.release(request);
          open.delete(request);
        }
      }
      for (const { id: rule } of key.rules) {
        for (const day of [0, 1]) {
          const openOnes = [...open.values()].filter((each) => each.rule === rule && each.day === day);
          const sum = openOnes.reduce((total, { amount }) => total + amount, 0);
          const used = openOnes.reduce((total, request) => total + request.used, 0);
          expect(ledger.reservedOn(keyId, rule, later(day * DAY))).toBe(sum);
          expect(ledger.usedOn(keyId, rule, later(day * DAY))).toBe(used);
        }
      }
      expect(ledger.size).toBe(open.size);
    }),
  );
});

test('moves reservations of later windows into the current one when the clock is accepted', () => {
  const ledger = new Ledger();
  ledger.reserve('r1', NOW, onKey(key, [[1, 5]]));
  ledger.reserve('r2', later(400 * DAY), onKey(key, [[1, 70]]));
  ledger.reserve('r3', later(500 * DAY), onKey(key, [[1, 600]]));
  ledger.mergeLaterWindows(() => key.rules, NOW);
  expect(ledger.reservedOn(keyId, 1, NOW)).toBe(675);
  for (const request of ['r1', 'r2', 'r3']) ledger.release(request);
  expect(ledger.reservedOn(keyId, 1, NOW)).toBe(0);
  expect(ledger.size).toBe(0);
});

test('reserves on all levels of a request at once, and settles and releases them together', () => {
  const ledger = new Ledger();
  const rule = limitRule({ limitType: 'output_tokens' });
  const levels = (['key', 'owner', 'team'] as const).map((level) => limitedLevel(level, 'same', [rule]));
  const reserved = () => levels.map(({ holder }) => ledger.reservedOn(holder, rule.id, NOW));
  ledger.reserve(
    'r1',
    NOW,
    levels.map((level, index) => ({ level, amounts: [[rule.id, 100 * (index + 1)]] })),
  );
  expect(reserved()).toEqual([100, 200, 300]);
  ledger.grow('r1', output(250));
  expect(reserved()).toEqual([250, 250, 300]);
  ledger.settle('r1', output(70));
  expect(reserved()).toEqual([70, 70, 70]);
  ledger.release('r1');
  expect([reserved(), ledger.size]).toEqual([[0, 0, 0], 0]);
});
