import type { UsageWindow } from '../src/domain/accountUsage/events.ts';
import type { Projection, RollUp } from './projection.ts';

export const USAGE_SUMS = ['primaryRemaining', 'primarySamples', 'secondaryRemaining', 'secondarySamples'] as const;
/** Sums of remaining percents (0 to 100 each) and how many samples they are the sum of. */
export type UsageSums = Readonly<Record<(typeof USAGE_SUMS)[number], number>>;

interface Summed {
  readonly usageByAccount: RollUp<{ readonly accountId: string }, UsageSums>;
}

/** What was left of each account's usage windows, hour by hour. */
export const usageTrends: Projection<Record<never, never>, Summed> = {
  name: 'usageTrends',
  version: 1,
  periods: { usageByAccount: ['hour'] },
  on: {
    AccountUsageObserved: ({ data: { accountId, primary, secondary }, time }, write) => {
      if (!primary && !secondary) return;
      write.addUp(
        'usageByAccount',
        time,
        { accountId },
        {
          primaryRemaining: remaining(primary),
          primarySamples: primary ? 1 : 0,
          secondaryRemaining: remaining(secondary),
          secondarySamples: secondary ? 1 : 0,
        },
      );
    },
  },
};

const remaining = (window: UsageWindow | null) => (window ? Math.max(0, 100 - window.usedPercent) : 0);
