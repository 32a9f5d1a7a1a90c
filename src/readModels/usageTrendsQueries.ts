import type { UsageSums } from '../../projections/usageTrends.ts';
import type { Instant, Position } from '../domain/core/brands.ts';

export type { UsageSums };

/** What was observed of one account within one hour. */
export interface UsageHour extends UsageSums {
  readonly start: Instant;
}

/** What was observed of one account. */
export interface AccountUsageSums extends UsageSums {
  readonly accountId: string;
}

/**
 * What was left of accounts' usage windows, hour by hour; every adapter passes one suite. `minPosition`: the answer
 * holds at least everything up to there, or waits up to 1 s for it.
 */
export interface UsageTrendsQueries {
  /** The sums of each account over the hours that begin at `since` or later. */
  since(since: Instant, minPosition: Position): Promise<readonly AccountUsageSums[]>;
  /**
   * The hours of one account that begin at `since` or later, in order, and before them the last earlier hours that know
   * each window.
   */
  ofAccount(accountId: string, since: Instant, minPosition: Position): Promise<readonly UsageHour[]>;
}
