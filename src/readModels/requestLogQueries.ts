import type { RequestLogRow } from '../../projections/requestLog.ts';
import type { Instant, Position } from '../domain/core/brands.ts';

export type { RequestLogRow };

export interface ModelOption {
  readonly model: string;
  readonly effort: string | null;
}

/** Lists are alternatives; absent means no condition; an empty list matches nothing. */
export interface RequestLogFilter {
  /**
   * A part of the error message, or the beginning of the request id, in any case of its ASCII letters; four or more
   * hexadecimal digits are looked for anywhere in the id.
   */
  readonly search?: string;
  readonly accountIds?: readonly string[];
  readonly statuses?: readonly string[];
  readonly models?: readonly string[];
  readonly efforts?: readonly (string | null)[];
  readonly modelOptions?: readonly ModelOption[];
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

/** How many rows there would be with this value. */
interface Counted {
  readonly count: number;
}

/** What the rows can be narrowed to, each list in order. */
export interface RequestLogOptions {
  readonly accountIds: readonly (Counted & { readonly accountId: string })[];
  readonly modelOptions: readonly (Counted & ModelOption)[];
  readonly statuses: readonly (Counted & { readonly status: string })[];
}

/**
 * Reading side of the request log; every adapter passes one suite. The latest request comes first, by the time at which
 * it arrived, then by position. `minPosition`: the answer holds at least everything up to there, or waits up to 1 s.
 */
export interface RequestLogQueries {
  page(filter: RequestLogFilter, limit: number, offset: number, minPosition: Position): Promise<RequestLogPage>;
  /** Values that rows have; each list obeys every condition but those on itself. Knows no `search`. */
  options(filter: RequestLogFilter, minPosition: Position): Promise<RequestLogOptions>;
  /** Models that answered at least one request, in order. */
  models(minPosition: Position): Promise<readonly string[]>;
}
