import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ProxyError } from '../errors/proxyError.ts';
import { MemoryBudget, type MemoryShare } from './memoryBudget.ts';

const KiB = 1_024;
const MiB = 1_048_576;

/** @returns the code of the refusal, undefined when it was taken */
function refusalOf(take: () => void): string | undefined {
  try {
    take();
    return undefined;
  } catch (error) {
    return (error as ProxyError).code;
  }
}

function holding(budget: MemoryBudget, bytes: number): MemoryShare {
  const share = budget.createShare();
  share.open();
  share.acquire(bytes);
  return share;
}

test('what would pass the bound is refused, for a moment, and takes nothing', () => {
  const budget = new MemoryBudget(40 * MiB);
  const [one] = [1, 2, 3].map(() => holding(budget, 9 * MiB));
  const { usedBytes: held } = budget;
  const last = budget.createShare();
  last.open();
  expect(() => last.acquire(9 * MiB)).toThrow(
    expect.objectContaining({ code: 'overloaded', status: 503, headers: { 'retry-after': '2' } }),
  );
  last.close();
  expect(budget.usedBytes).toBe(held);
  one?.close();
  expect(refusalOf(() => holding(budget, 9 * MiB))).toBeUndefined();
});

test('the last quarter is for small requests', () => {
  const budget = new MemoryBudget(40 * MiB);
  for (let index = 0; index < 3; index++) holding(budget, 9.5 * MiB);
  expect(refusalOf(() => holding(budget, 2 * MiB))).toBe('overloaded');
  expect(refusalOf(() => holding(budget, 512 * KiB))).toBeUndefined();
  const small = () => holding(budget, 64 * KiB);
  let count = 0;
  while (refusalOf(small) === undefined) count++;
  expect(count).toBeGreaterThan(50);
  expect(budget.usedBytes).toBeLessThanOrEqual(40 * MiB);
});

test('a request that is larger than any may be is told so, since no wait would help', () => {
  const share = new MemoryBudget(40 * MiB).createShare();
  expect(() => share.acquire(11 * MiB)).toThrow(expect.objectContaining({ code: 'request_too_large', status: 413 }));
});

test('requests without a body are bounded as well', () => {
  const budget = new MemoryBudget(4 * MiB);
  const begun = Array.from({ length: 100 }, () => refusalOf(() => budget.createShare().open()));
  expect(begun.filter((code) => code === undefined)).toHaveLength(64);
  expect(begun.filter((code) => code === 'overloaded')).toHaveLength(36);
});

test('whatever comes and goes, the sum is that of those under way, below the bound, and nothing in the end', () => {
  const steps = fc.array(
    fc.record({ kind: fc.constantFrom('take', 'give', 'end'), which: fc.nat(7), bytes: fc.nat(20 * MiB) }),
  );
  fc.assert(
    fc.property(steps, (list) => {
      const budget = new MemoryBudget(64 * MiB);
      const shares = Array.from({ length: 8 }, () => budget.createShare());
      const held = shares.map(() => 0);
      for (const { kind, which, bytes } of list) {
        const share = shares[which] as MemoryShare;
        const before = held[which] as number;
        if (kind === 'take' && refusalOf(() => share.acquire(bytes)) === undefined) held[which] = before + bytes;
        if (kind === 'give') {
          share.release(Math.min(bytes, before));
          held[which] = before - Math.min(bytes, before);
        }
        if (kind === 'end') {
          share.close();
          held[which] = 0;
        }
        expect(budget.usedBytes).toBe(held.reduce((sum, each) => sum + each, 0));
        expect(budget.usedBytes).toBeLessThanOrEqual(64 * MiB);
      }
      for (const share of [...shares, ...shares]) share.close();
      expect(budget.usedBytes).toBe(0);
    }),
  );
});
