import type { UsageSums } from '../../projections/usageTrends.ts';
import type { Instant } from '../domain/core/brands.ts';
import type { UpTo } from './upTo.ts';

export type { UsageSums };

/** The samples of one account within one hour. */
export interface UsageHour extends UsageSums {
  readonly start: Instant;
}

/** The samples of one account. */
export interface AccountUsageSums extends UsageSums {
  readonly accountId: string;
}

/**
 * The remaining usage of the accounts' windows, by the hour. Every adapter passes one test suite. `upTo`: the result
 * includes all events up to there, or the query waits up to 1 s for them; with `exactly` it includes no later ones.
 */
export interface UsageTrendsQueries {
  /** The sums of each account over the hours that begin at `since` or later. */
  since(since: Instant, upTo: UpTo): Promise<readonly AccountUsageSums[]>;
  /**
   * The hours of one account that begin at `since` or later, in order, preceded by the last earlier hour with samples of each
   * window.
   */
  ofAccount(accountId: string, since: Instant, upTo: UpTo): Promise<readonly UsageHour[]>;
}
