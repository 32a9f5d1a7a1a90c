import type { RequestSums } from '../../projections/requestLog.ts';
import type { Instant } from '../domain/core/brands.ts';
import type { UpTo } from './upTo.ts';

export type { RequestSums };

export interface RequestTotals extends RequestSums {
  /** Requests by error code, unlogged refusals included; requests without a code are omitted. */
  readonly byErrorCode: Readonly<Record<string, number>>;
}

/** Sums over the requests that arrived within one step. */
export interface RequestStep extends RequestSums {
  readonly start: Instant;
}

/** Sums over requests. Every adapter passes one test suite. */
export interface RequestTotalsQueries {
  /**
   * Sums over requests that arrived at `since` or later. Refusals without a row of their own are counted by the minute, at its
   * start.
   * @param upTo the result includes all events up to there, or the query waits up to 1 s for them; with `exactly` it includes
   * no later ones
   */
  since(since: Instant, upTo: UpTo): Promise<RequestTotals>;
  /**
   * The steps since `since` in which requests arrived, in order.
   * @param since the start of a step
   * @param stepMs a whole number of minutes that divides a day; steps are counted from midnight UTC
   * @param upTo as for `since`
   */
  steps(since: Instant, stepMs: number, upTo: UpTo): Promise<readonly RequestStep[]>;
}
