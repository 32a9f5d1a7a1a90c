import type { UsageWindow } from '../src/domain/accountUsage/events.ts';
import type { Instant, Position } from '../src/domain/core/brands.ts';
import type { Projection, RollUp } from './projection.ts';

export const USAGE_SUMS = ['primaryRemaining', 'primarySamples', 'secondaryRemaining', 'secondarySamples'] as const;
/** Sums of remaining percentages (0 to 100 each) and their numbers of samples. */
export type UsageSums = Readonly<Record<(typeof USAGE_SUMS)[number], number>>;

interface Summed {
  readonly usageByAccount: RollUp<{ readonly accountId: string }, UsageSums>;
}

/** What one observation of an account adds. */
export interface UsageSample extends UsageSums {
  readonly accountId: string;
  readonly time: Instant;
  readonly position: Position;
}

interface Documents {
  /** Needed for sums over parts of an hour. */
  readonly usageSamples: UsageSample;
}

/** The remaining usage of each account's windows, by the hour. */
export const usageTrends: Projection<Documents, Summed> = {
  name: 'usageTrends',
  version: 2,
  periods: { usageByAccount: ['hour'] },
  on: {
    AccountUsageObserved: ({ data: { accountId, primary, secondary }, position, time }, write) => {
      if (!primary && !secondary) return;
      const sums: UsageSums = {
        primaryRemaining: remaining(primary),
        primarySamples: primary ? 1 : 0,
        secondaryRemaining: remaining(secondary),
        secondarySamples: secondary ? 1 : 0,
      };
      write.insert('usageSamples', `${position}`, { accountId, time, position, ...sums });
      write.increment('usageByAccount', time, { accountId }, sums);
    },
  },
};

const remaining = (window: UsageWindow | null) => (window ? Math.max(0, 100 - window.usedPercent) : 0);
