import type { RequestSums } from '../../projections/requestLog.ts';
import type { Instant, Position } from '../domain/core/brands.ts';

export type { RequestSums };

export interface RequestTotals extends RequestSums {
  /** Requests by error code, unlogged ones included; requests without a code are left out. */
  readonly byErrorCode: Readonly<Record<string, number>>;
}

/** What arrived within one step of time. */
export interface RequestStep extends RequestSums {
  readonly start: Instant;
}

/** Sums over requests; every adapter passes one suite. */
export interface RequestTotalsQueries {
  /**
   * Everything that arrived at `since` or later; refusals without a row of their own are counted by the minute, and belong
   * to its beginning.
   * @param minPosition the answer holds at least everything up to there, or waits up to 1 s for it
   */
  since(since: Instant, minPosition: Position): Promise<RequestTotals>;
  /**
   * The steps since `since` in which something arrived, in order.
   * @param since a moment at which a step begins
   * @param stepMs whole minutes that a day can be divided into; steps are counted from midnight UTC
   * @param minPosition as for `since`
   */
  steps(since: Instant, stepMs: number, minPosition: Position): Promise<readonly RequestStep[]>;
}
