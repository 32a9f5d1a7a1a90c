import type { UsageSums } from '../../projections/usageTrends.ts';
import type { Instant, Position } from '../domain/brands.ts';

export type { UsageSums };

/** What was observed of one account within one hour. */
export interface UsageHour extends UsageSums {
  readonly accountId: string;
  readonly start: Instant;
}

/**
 * What was left of accounts' usage windows, hour by hour; every adapter passes one suite. `minPosition`: the answer
 * holds at least everything up to there, or waits up to 1 s for it.
 */
export interface UsageTrendsQueries {
  /** The hours of all accounts that begin at `since` or later, in order. */
  hours(since: Instant, minPosition: Position): Promise<readonly UsageHour[]>;
  /**
   * The hours of one account that begin at `since` or later, in order, and before them the last earlier hours that know
   * each window.
   */
  ofAccount(accountId: string, since: Instant, minPosition: Position): Promise<readonly UsageHour[]>;
}
