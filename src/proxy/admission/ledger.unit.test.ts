import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ApiKeyId } from '../../domain/brands.ts';
import { Ledger } from './ledger.ts';

const key = 'k' as ApiKeyId;

test('a reservation counts until it is settled, then its real usage until it is released', () => {
  const ledger = new Ledger();
  ledger.reserve(key, 'r1', [[1, 500]]);
  ledger.reserve(key, 'r2', [[1, 300]]);
  expect(ledger.reservedOn(key, 1)).toBe(800);
  ledger.settle('r1', [[1, 70]]);
  expect(ledger.reservedOn(key, 1)).toBe(370);
  ledger.release('r1');
  expect(ledger.reservedOn(key, 1)).toBe(300);
  ledger.release('r2');
  expect(ledger.reservedOn(key, 1)).toBe(0);
  expect(ledger.size).toBe(0);
});

test('releasing twice, or settling what was never reserved, changes nothing', () => {
  const ledger = new Ledger();
  ledger.reserve(key, 'r1', [[1, 5]]);
  ledger.release('r1');
  ledger.release('r1');
  ledger.settle('r1', [[1, 9]]);
  ledger.settle('unknown', [[1, 9]]);
  expect(ledger.reservedOn(key, 1)).toBe(0);
});

test('whatever the order, the sums are those of the open requests', () => {
  const steps = fc.array(
    fc.record({
      kind: fc.constantFrom('reserve', 'settle', 'release'),
      request: fc.integer({ min: 0, max: 5 }).map(String),
      rule: fc.integer({ min: 1, max: 3 }),
      amount: fc.integer({ min: 0, max: 1_000 }),
    }),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(steps, (list) => {
      const ledger = new Ledger();
      const open = new Map<string, [number, number][]>();
      for (const { kind, request, rule, amount } of list) {
        if (kind === 'reserve' && !open.has(request)) {
          ledger.reserve(key, request, [[rule, amount]]);
          open.set(request, [[rule, amount]]);
        } else if (kind === 'settle') {
          ledger.settle(request, [[rule, amount]]);
          if (open.has(request)) open.set(request, [[rule, amount]]);
        } else if (kind === 'release') {
          ledger.release(request);
          open.delete(request);
        }
      }
      for (const rule of [1, 2, 3]) {
        const sum = [...open.values()].flat().reduce((total, [id, held]) => total + (id === rule ? held : 0), 0);
        expect(ledger.reservedOn(key, rule)).toBe(sum);
      }
    }),
  );
});
