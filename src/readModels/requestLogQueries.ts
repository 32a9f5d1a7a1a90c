import type { RequestLogRow } from '../../projections/requestLog.ts';
import type { Instant, Position } from '../domain/brands.ts';

export type { RequestLogRow };

/** Lists are alternatives; absent means no condition; an empty list matches nothing. */
export interface RequestLogFilter {
  /** A part of the request id or of the error message, in any case of its ASCII letters. */
  readonly search?: string;
  readonly accountIds?: readonly string[];
  readonly statuses?: readonly string[];
  readonly models?: readonly string[];
  readonly efforts?: readonly (string | null)[];
  readonly modelOptions?: readonly { readonly model: string; readonly effort: string | null }[];
  /** First moment that belongs to the answer. */
  readonly since?: Instant;
  /** Last moment that belongs to the answer. */
  readonly until?: Instant;
}

export interface RequestLogPage {
  readonly rows: readonly RequestLogRow[];
  /** Rows that match, before paging. */
  readonly total: number;
}

/** Reading side of the request log; every adapter passes one suite. Newest first. */
export interface RequestLogQueries {
  /** @param minPosition the answer holds at least everything up to there, or waits up to 1 s for it */
  page(filter: RequestLogFilter, limit: number, offset: number, minPosition: Position): Promise<RequestLogPage>;
}
