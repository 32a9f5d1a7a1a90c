import { describe, expect, test } from 'vitest';
import { AccountUsageObserved } from '../../../src/domain/accountUsage/events.ts';
import type { AccountId, Instant } from '../../../src/domain/core/brands.ts';
import { DAY, earlier, HOUR, later, MINUTE, NOW, usageSample, usageWindow } from '../../support/specification.ts';
import type { ReadModelsFactory } from '../readModels.ts';
import type { TestEvent } from './appending.ts';

const observed = (account: string, time: Instant, primary: number | null, secondary: number | null): TestEvent => ({
  ...AccountUsageObserved({
    accountId: account as AccountId,
    ...usageSample(primary === null ? null : usageWindow(primary), secondary === null ? null : usageWindow(secondary)),
  }),
  time,
});

const sums = (
  primaryRemaining: number,
  primarySamples: number,
  secondaryRemaining: number,
  secondarySamples: number,
) => ({
  primaryRemaining,
  primarySamples,
  secondaryRemaining,
  secondarySamples,
});

export function usageTrends(createReadModels: ReadModelsFactory): void {
  describe('usage trends', () => {
    test('sums samples by the hour', async () => {
      await using store = await createReadModels();
      const head = await store.append(
        observed('a', NOW, 10, 20),
        observed('a', later(59 * MINUTE), 30, null),
        observed('b', NOW, 99, 99),
        observed('a', later(HOUR), 140, 100),
      );
      expect(await store.usageTrends.ofAccount('a', NOW, head)).toEqual([
        { start: NOW, ...sums(160, 2, 80, 1) },
        { start: later(HOUR), ...sums(0, 1, 0, 1) },
      ]);
    });

    test('the last earlier hour with samples of each window comes first', async () => {
      await using store = await createReadModels();
      const head = await store.append(
        observed('a', earlier(3 * DAY), 1, 1),
        observed('a', earlier(2 * DAY), 2, 2),
        observed('a', earlier(DAY), null, 3),
        observed('a', NOW, 4, 4),
      );
      expect(await store.usageTrends.ofAccount('a', NOW, head)).toEqual([
        { start: earlier(2 * DAY), ...sums(98, 1, 98, 1) },
        { start: earlier(DAY), ...sums(0, 0, 97, 1) },
        { start: NOW, ...sums(96, 1, 96, 1) },
      ]);
      expect(await store.usageTrends.ofAccount('unknown', NOW, head)).toEqual([]);
    });

    test('sums of all accounts cover the hours that begin at the given moment or later', async () => {
      await using store = await createReadModels();
      const head = await store.append(
        observed('a', earlier(1), 50, 50),
        observed('a', NOW, 10, null),
        observed('a', later(2 * HOUR), 20, 30),
        observed('b', later(MINUTE), 0, 0),
      );
      const found = await store.usageTrends.since(NOW, head);
      expect(new Map(found.map(({ accountId, ...rest }) => [accountId, rest]))).toEqual(
        new Map([
          ['a', sums(170, 2, 70, 1)],
          ['b', sums(100, 1, 100, 1)],
        ]),
      );
    });
  });
}
