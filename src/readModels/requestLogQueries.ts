import type { Instant, Position } from '../domain/brands.ts';

/** One row of the request log: a request that ended, or was refused. */
export interface RequestLogRow {
  readonly requestId: string;
  readonly requestedAt: Instant;
  readonly accountId: string | null;
  readonly apiKeyId: string | null;
  readonly route: string;
  readonly model: string;
  readonly effort: string | null;
  readonly status: string;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cachedInputTokens: number | null;
  readonly reasoningTokens: number | null;
  readonly costMicroDollars: number | null;
  readonly latencyMs: number;
  readonly attempts: number;
  readonly position: Position;
}

/** Lists are alternatives; absent means no condition; an empty list matches nothing. */
export interface RequestLogFilter {
  readonly search?: string;
  readonly accountIds?: readonly string[];
  readonly statuses?: readonly string[];
  readonly models?: readonly string[];
  readonly efforts?: readonly (string | null)[];
  readonly modelOptions?: readonly { readonly model: string; readonly effort: string | null }[];
  readonly since?: Instant;
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
