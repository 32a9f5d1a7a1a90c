import type { Instant, Position } from '../src/domain/core/brands.ts';
import type { CompletedRequest } from '../src/domain/request/events.ts';
import { LONGER_PERIODS, PERIODS } from './periods.ts';
import type { Projection, RollUp, Write } from './projection.ts';

/** One row of the request log: a request that ended, or was refused. */
export interface RequestLogRow {
  readonly requestId: string;
  readonly requestedAt: Instant;
  readonly accountId: string | null;
  readonly apiKeyId: string | null;
  readonly route: string;
  readonly model: string;
  readonly effort: string | null;
  /** HTTP status as text, or `error`. */
  readonly status: string;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cachedInputTokens: number | null;
  readonly reasoningTokens: number | null;
  readonly costMicroDollars: number | null;
  readonly latencyMs: number;
  /** From the request to the first byte of the answer; null when there was none. */
  readonly firstByteMs: number | null;
  /** How many accounts were tried. */
  readonly attempts: number;
  readonly position: Position;
}

/** What the request log can be filtered by. */
export interface RequestKind {
  readonly accountId: string | null;
  readonly model: string;
  readonly effort: string | null;
  readonly status: string;
}

/** Who asked, and what went wrong. */
export interface RequestOutcome {
  readonly apiKeyId: string | null;
  readonly errorCode: string | null;
}

export const REQUEST_SUMS = [
  'requests',
  /** Requests whose status is not `200`. */
  'errors',
  /** Refusals beyond the rows of their minute: errors that the request log does not show one by one. */
  'unlogged',
  'inputTokens',
  'outputTokens',
  'cachedInputTokens',
  'reasoningTokens',
  'costMicroDollars',
  'latencyMs',
] as const;
export type RequestSums = Readonly<Record<(typeof REQUEST_SUMS)[number], number>>;

/** What the request log takes of a request that ended: whoever reads no more than this has read enough. */
export type LoggedRequest = Pick<
  CompletedRequest,
  | 'requestId'
  | 'keyId'
  | 'route'
  | 'model'
  | 'effort'
  | 'requestedAt'
  | 'status'
  | 'errorCode'
  | 'errorMessage'
  | 'accountId'
  | 'latencyMs'
  | 'firstByteMs'
  | 'usage'
  | 'costMicroDollars'
> & { readonly attempts: { readonly length: number } };

/** Refusals of one key for one reason beyond those that have rows. */
export interface UnloggedRefusals {
  /** When the minute that they are counted over began. */
  readonly minute: Instant;
  readonly apiKeyId: string | null;
  readonly errorCode: string;
  readonly unlogged: number;
  readonly position: Position;
}

interface Documents {
  readonly requests: RequestLogRow;
  /** For sums over parts of a minute. */
  readonly refusals: UnloggedRefusals;
}

/**
 * Several roll-ups, because the product of everything that they group by (fifty accounts, ten models, twenty keys, ...)
 * has as many groups in an hour as there are requests. Totals of all requests come from that by error code: it has so few
 * groups that it can be kept by the minute.
 */
interface Summed {
  readonly requestsByKind: RollUp<RequestKind, RequestSums>;
  readonly requestsByOutcome: RollUp<RequestOutcome, RequestSums>;
  readonly requestsByErrorCode: RollUp<Pick<RequestOutcome, 'errorCode'>, RequestSums>;
}

/**
 * One row for each request that ended, abandoned ones included, and for each that was refused; and the sums over them.
 * A request belongs to the hour in which it arrived.
 */
export const requestLog: Projection<Documents, Summed> = {
  name: 'requestLog',
  version: 4,
  periods: { requestsByKind: LONGER_PERIODS, requestsByOutcome: LONGER_PERIODS, requestsByErrorCode: PERIODS },
  on: {
    RequestCompleted: ({ data, position }, write) => add(write, rowOf(data, position)),
    RequestRefused: ({ data, position }, write) => add(write, rowOf({ ...data, ...NEVER_TRIED }, position)),
    RefusalsCounted: ({ data, position }, write) => {
      // An address stands for strangers: what they wanted never became a request.
      if (data.address !== null) return;
      for (const [errorCode, unlogged] of Object.entries(data.counts)) {
        const outcome = { apiKeyId: data.keyId, errorCode };
        write.insert('refusals', `${position} ${errorCode}`, { minute: data.minute, ...outcome, unlogged, position });
        write.addUp('requestsByOutcome', data.minute, outcome, { ...NOTHING, unlogged });
        write.addUp('requestsByErrorCode', data.minute, outcome, { ...NOTHING, unlogged });
      }
    },
  },
};

const NOTHING: RequestSums = {
  requests: 0,
  errors: 0,
  unlogged: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  reasoningTokens: 0,
  costMicroDollars: 0,
  latencyMs: 0,
};

function add(write: Write<Documents, Summed>, row: RequestLogRow): void {
  write.insert('requests', row.requestId, row);
  const sums: RequestSums = {
    requests: 1,
    errors: row.status === '200' ? 0 : 1,
    unlogged: 0,
    inputTokens: row.inputTokens ?? 0,
    outputTokens: row.outputTokens ?? 0,
    cachedInputTokens: row.cachedInputTokens ?? 0,
    reasoningTokens: row.reasoningTokens ?? 0,
    costMicroDollars: row.costMicroDollars ?? 0,
    latencyMs: row.latencyMs,
  };
  write.addUp('requestsByKind', row.requestedAt, row, sums);
  write.addUp('requestsByOutcome', row.requestedAt, row, sums);
  write.addUp('requestsByErrorCode', row.requestedAt, row, sums);
}

/** What a request that no account was tried for has not. */
const NEVER_TRIED = { accountId: null, usage: null, costMicroDollars: null, firstByteMs: null, attempts: [] } as const;

const rowOf = (data: LoggedRequest, position: Position): RequestLogRow => ({
  requestId: data.requestId,
  requestedAt: data.requestedAt,
  accountId: data.accountId,
  apiKeyId: data.keyId,
  route: data.route,
  model: data.model,
  effort: data.effort,
  status: data.status,
  errorCode: data.errorCode,
  errorMessage: data.errorMessage,
  inputTokens: data.usage?.inputTokens ?? null,
  outputTokens: data.usage?.outputTokens ?? null,
  cachedInputTokens: data.usage?.cachedInputTokens ?? null,
  reasoningTokens: data.usage?.reasoningTokens ?? null,
  costMicroDollars: data.costMicroDollars,
  latencyMs: data.latencyMs,
  firstByteMs: data.firstByteMs,
  attempts: data.attempts.length,
  position,
});
