import type { RequestLogRow } from '../../projections/requestLog.ts';
import type { Instant, Position } from '../domain/core/brands.ts';

import type { ArchivedDay } from './archivedDays.ts';
import type { RequestLogSort } from './requestLogSort.ts';
import type { UpTo } from './upTo.ts';

export type { RequestLogRow };

export interface ModelOption {
  readonly model: string;
  readonly effort: string | null;
}

/** The values of a list are alternatives. An absent list is no condition; an empty list matches nothing. */
export interface RequestLogFilter {
  /**
   * A part of the error message or the beginning of the request id, ignoring the case of ASCII letters. Four or more
   * hexadecimal digits match anywhere in the id.
   */
  readonly search?: string;
  /** The account that served the request, or failed it last. */
  readonly accountIds?: readonly string[];
  /** Accounts of which the request tried any. */
  readonly attemptedAccountIds?: readonly string[];
  readonly statuses?: readonly string[];
  readonly models?: readonly string[];
  readonly efforts?: readonly (string | null)[];
  readonly modelOptions?: readonly ModelOption[];
  /** Null: requests without a key, without an error, of keys without an owner or a team. */
  readonly apiKeyIds?: readonly (string | null)[];
  readonly errorCodes?: readonly (string | null)[];
  readonly owners?: readonly (string | null)[];
  readonly teams?: readonly (string | null)[];
  readonly transports?: readonly string[];
  /** Null: requests of clients that do not name themselves. */
  readonly clients?: readonly (string | null)[];
  /** Digests of the address that requests came from, under the data keys that it may be sealed under. */
  readonly addressDigests?: readonly string[];
  /** Digests of conversations. */
  readonly conversations?: readonly string[];
  /** Only requests that ended after this position. Read one by one, so it should be a recent one; `search` is ignored then. */
  readonly after?: Position;
  /** Which rows of a page come first: the latest unless it says otherwise. */
  readonly sort?: RequestLogSort;
  /** First moment of the result. */
  readonly since?: Instant;
  /** Last moment of the result. */
  readonly until?: Instant;
}

export interface RequestLogPage {
  readonly rows: readonly RequestLogRow[];
  /** Rows that match, before paging. */
  readonly total: number;
  /** There are no rows, because `MAX_SORTED_BY_VALUE` is exceeded. */
  readonly isTooLargeToSort?: true;
  /** Days in the range of the filter whose requests are archived: they have no rows, and are not in `total`. */
  readonly archived?: readonly ArchivedDay[];
}

/** The number of rows with this value. */
interface Counted {
  readonly count: number;
}

/** The values that the rows can be narrowed to, each list in order. */
export interface RequestLogOptions {
  readonly accountIds: readonly (Counted & { readonly accountId: string })[];
  /** A request with attempts on several accounts is counted for each. */
  readonly attemptedAccountIds: readonly (Counted & { readonly accountId: string })[];
  readonly modelOptions: readonly (Counted & ModelOption)[];
  readonly statuses: readonly (Counted & { readonly status: string })[];
  readonly apiKeyIds: readonly (Counted & { readonly value: string })[];
  readonly errorCodes: readonly (Counted & { readonly value: string })[];
  readonly owners: readonly (Counted & { readonly value: string })[];
  readonly teams: readonly (Counted & { readonly value: string })[];
}

/**
 * Queries of the request log. Every adapter passes one test suite. Unless a filter says otherwise, the latest request
 * comes first, by the time of its arrival, then by position. `upTo`: the result includes all events up to there, or the query waits up to 1 s for them; with
 * `exactly` it includes no later ones.
 */
export interface RequestLogQueries {
  page(filter: RequestLogFilter, limit: number, offset: number, upTo: UpTo): Promise<RequestLogPage>;
  /** The rows of the events at these positions, latest first; other positions are left out. */
  rows(positions: readonly Position[], upTo: UpTo): Promise<readonly RequestLogRow[]>;
  /**
   * The values that occur in the rows. Each list applies every condition except those on itself; `search` is ignored. Those of keys,
   * error codes, owners and teams apply the time range and one another's conditions only, because they count sums of their own.
   */
  options(filter: RequestLogFilter, upTo: UpTo): Promise<RequestLogOptions>;
  /** Models with at least one successful request, in order. */
  models(upTo: UpTo): Promise<readonly string[]>;
}
