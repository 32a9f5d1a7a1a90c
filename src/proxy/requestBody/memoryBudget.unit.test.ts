import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ProxyError } from '../errors/proxyError.ts';
import { MemoryBudget, type MemoryShare } from './memoryBudget.ts';

const KiB = 1_024;
const MiB = 1_048_576;

/** @returns the code of the error, undefined when there was none */
function errorCodeOf(acquire: () => void): string | undefined {
  try {
    acquire();
    return undefined;
  } catch (error) {
    return (error as ProxyError).code;
  }
}

function openShare(budget: MemoryBudget, bytes: number): MemoryShare {
  const share = budget.createShare();
  share.open();
  share.acquire(bytes);
  return share;
}

test('rejects a request over the limit without acquiring anything, and asks for a retry', () => {
  const budget = new MemoryBudget(40 * MiB);
  const [one] = [1, 2, 3].map(() => openShare(budget, 9 * MiB));
  const { usedBytes } = budget;
  const last = budget.createShare();
  last.open();
  expect(() => last.acquire(9 * MiB)).toThrow(
    expect.objectContaining({ code: 'overloaded', status: 503, headers: { 'retry-after': '2' } }),
  );
  last.close();
  expect(budget.usedBytes).toBe(usedBytes);
  one?.close();
  expect(errorCodeOf(() => openShare(budget, 9 * MiB))).toBeUndefined();
});

test('reserves the last quarter for small requests', () => {
  const budget = new MemoryBudget(40 * MiB);
  for (let index = 0; index < 3; index++) openShare(budget, 9.5 * MiB);
  expect(errorCodeOf(() => openShare(budget, 2 * MiB))).toBe('overloaded');
  expect(errorCodeOf(() => openShare(budget, 512 * KiB))).toBeUndefined();
  const small = () => openShare(budget, 64 * KiB);
  let count = 0;
  while (errorCodeOf(small) === undefined) count++;
  expect(count).toBeGreaterThan(50);
  expect(budget.usedBytes).toBeLessThanOrEqual(40 * MiB);
});

test('rejects a request over the limit of a single one as too large', () => {
  const share = new MemoryBudget(40 * MiB).createShare();
  expect(() => share.acquire(11 * MiB)).toThrow(expect.objectContaining({ code: 'request_too_large', status: 413 }));
});

test('limits requests without a body as well', () => {
  const budget = new MemoryBudget(4 * MiB);
  const codes = Array.from({ length: 100 }, () => errorCodeOf(() => budget.createShare().open()));
  expect(codes.filter((code) => code === undefined)).toHaveLength(64);
  expect(codes.filter((code) => code === 'overloaded')).toHaveLength(36);
});

test('sums up the open requests, never exceeds the limit and ends at zero', () => {
  const steps = fc.array(
    fc.record({ kind: fc.constantFrom('acquire', 'release', 'close'), which: fc.nat(7), bytes: fc.nat(20 * MiB) }),
  );
  fc.assert(
    fc.property(steps, (list) => {
      const budget = new MemoryBudget(64 * MiB);
      const shares = Array.from({ length: 8 }, () => budget.createShare());
      const used = shares.map(() => 0);
      for (const { kind, which, bytes } of list) {
        const share = shares[which] as MemoryShare;
        const before = used[which] as number;
        if (kind === 'acquire' && errorCodeOf(() => share.acquire(bytes)) === undefined) used[which] = before + bytes;
        if (kind === 'release') {
          share.release(Math.min(bytes, before));
          used[which] = before - Math.min(bytes, before);
        }
        if (kind === 'close') {
          share.close();
          used[which] = 0;
        }
        expect(budget.usedBytes).toBe(used.reduce((sum, each) => sum + each, 0));
        expect(budget.usedBytes).toBeLessThanOrEqual(64 * MiB);
      }
      for (const share of [...shares, ...shares]) share.close();
      expect(budget.usedBytes).toBe(0);
    }),
  );
});
