import { expect, test } from 'vitest';
import { AccountUsageObserved, type UsageSample } from '../src/domain/accountUsage/events.ts';
import { position } from '../src/domain/core/brands.ts';
import { accountId, NOW, usageSample, usageWindow } from '../test/support/specification.ts';
import { usageTrends } from './usageTrends.ts';

function sumsOf(sample: UsageSample) {
  const { data } = AccountUsageObserved({ accountId: accountId(1), ...sample });
  const sums: unknown[] = [];
  usageTrends.on.AccountUsageObserved?.({ data, position: position(1), time: NOW } as never, {
    insert: () => undefined,
    increment: (...change) => sums.push(change),
  });
  return sums;
}

const of = { accountId: accountId(1) };

test('a sample adds the remaining percentages of both windows', () => {
  expect(sumsOf(usageSample(usageWindow(30), usageWindow(99)))).toEqual([
    [
      'usageByAccount',
      NOW,
      of,
      { primaryRemaining: 70, primarySamples: 1, secondaryRemaining: 1, secondarySamples: 1 },
    ],
  ]);
});

test('an overdrawn window counts as 0 % remaining; an unreported one adds nothing', () => {
  expect(sumsOf(usageSample(null, usageWindow(140)))).toEqual([
    ['usageByAccount', NOW, of, { primaryRemaining: 0, primarySamples: 0, secondaryRemaining: 0, secondarySamples: 1 }],
  ]);
  expect(sumsOf(usageSample(null, null))).toEqual([]);
});
