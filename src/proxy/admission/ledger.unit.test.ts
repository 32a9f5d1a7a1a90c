import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY, later, limitRule, NOW } from '../../../test/support/specification.ts';
import type { ApiKeyId } from '../../domain/core/brands.ts';
import { Ledger } from './ledger.ts';

const keyId = 'k' as ApiKeyId;
const key = { id: keyId, rules: [1, 2, 3].map((id) => limitRule({ id })) };

test('a reservation counts until it is settled, then its real usage until it is released', () => {
  const ledger = new Ledger();
  const held = () => ledger.reservedOn(keyId, 1, NOW);
  ledger.reserve(key, 'r1', NOW, [[1, 500]]);
  ledger.reserve(key, 'r2', NOW, [[1, 300]]);
  expect(held()).toBe(800);
  ledger.settle('r1', [[1, 70]]);
  expect(held()).toBe(370);
  ledger.release('r1');
  expect(held()).toBe(300);
  ledger.release('r2');
  expect(held()).toBe(0);
  expect(ledger.size).toBe(0);
});

test('what was admitted in one window holds nothing of the next, where its usage will not count either', () => {
  const ledger = new Ledger();
  const [today, tomorrow] = [later(DAY - 1), later(DAY)];
  ledger.reserve(key, 'r1', today, [[1, 500]]);
  expect([today, tomorrow].map((at) => ledger.reservedOn(keyId, 1, at))).toEqual([500, 0]);
  ledger.reserve(key, 'r2', tomorrow, [[1, 300]]);
  ledger.settle('r1', [[1, 70]]);
  expect([today, tomorrow].map((at) => ledger.reservedOn(keyId, 1, at))).toEqual([70, 300]);
  ledger.release('r1');
  expect([today, tomorrow].map((at) => ledger.reservedOn(keyId, 1, at))).toEqual([0, 300]);
});

test('releasing twice, or settling what was never reserved, changes nothing', () => {
  const ledger = new Ledger();
  ledger.reserve(key, 'r1', NOW, [[1, 5]]);
  ledger.release('r1');
  ledger.release('r1');
  ledger.settle('r1', [[1, 9]]);
  ledger.settle('unknown', [[1, 9]]);
  expect(ledger.reservedOn(keyId, 1, NOW)).toBe(0);
});

test('whatever the order, the sums are those of the open requests of each window', () => {
  const steps = fc.array(
    fc.record({
      kind: fc.constantFrom('reserve', 'settle', 'release'),
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
      const open = new Map<string, { rule: number; day: number; amount: number }>();
      for (const { kind, request, rule, day, amount } of list) {
        const known = open.get(request);
        if (kind === 'reserve' && !known) {
          ledger.reserve(key, request, later(day * DAY), [[rule, amount]]);
          open.set(request, { rule, day, amount });
        } else if (kind === 'settle') {
          ledger.settle(request, [[known?.rule ?? rule, amount]]);
          if (known) known.amount = amount;
        } else if (kind === 'release') {
          ledger.release(request);
          open.delete(request);
        }
      }
      for (const { id: rule } of key.rules) {
        for (const day of [0, 1]) {
          const holding = [...open.values()].filter((each) => each.rule === rule && each.day === day);
          const sum = holding.reduce((total, { amount }) => total + amount, 0);
          expect(ledger.reservedOn(keyId, rule, later(day * DAY))).toBe(sum);
        }
      }
      expect(ledger.size).toBe(open.size);
    }),
  );
});
