import type { RequestSums } from '../../projections/requestLog.ts';
import type { Instant, Position } from '../domain/brands.ts';

export type { RequestSums };

export interface RequestTotals extends RequestSums {
  /** Requests by error code, unlogged ones included; requests without a code are left out. */
  readonly byErrorCode: Readonly<Record<string, number>>;
}

/** Sums over requests; every adapter passes one suite. */
export interface RequestTotalsQueries {
  /**
   * Everything that arrived at `since` or later; refusals without a row of their own are counted by the minute, and belong
   * to its beginning.
   * @param minPosition the answer holds at least everything up to there, or waits up to 1 s for it
   */
  since(since: Instant, minPosition: Position): Promise<RequestTotals>;
}
