import type { UsageWindow } from '../src/domain/accountUsage/events.ts';
import type { Projection, RollUp } from './projection.ts';

export const USAGE_SUMS = ['primaryRemaining', 'primarySamples', 'secondaryRemaining', 'secondarySamples'] as const;
/** Sums of remaining percentages (0 to 100 each) and their numbers of samples. */
export type UsageSums = Readonly<Record<(typeof USAGE_SUMS)[number], number>>;

interface Summed {
  readonly usageByAccount: RollUp<{ readonly accountId: string }, UsageSums>;
}

/** The remaining usage of each account's windows, by the hour. */
export const usageTrends: Projection<Record<never, never>, Summed> = {
  name: 'usageTrends',
  version: 1,
  periods: { usageByAccount: ['hour'] },
  on: {
    AccountUsageObserved: ({ data: { accountId, primary, secondary }, time }, write) => {
      if (!primary && !secondary) return;
      write.increment(
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
