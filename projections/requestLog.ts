import type { Instant, Position } from '../src/domain/brands.ts';
import type { CompletedRequest, RefusedRequest, TokenUsage } from '../src/domain/request/events.ts';
import type { Projection } from './projection.ts';

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

/** One row for each request that ended, abandoned ones included, and for each that was refused. */
export const requestLog: Projection<{ requests: RequestLogRow }> = {
  name: 'requestLog',
  version: 1,
  on: {
    RequestCompleted: ({ data, position }, write) =>
      write.insert('requests', data.requestId, {
        ...requested(data, position),
        ...tokens(data.usage),
        accountId: data.accountId,
        costMicroDollars: data.costMicroDollars,
        firstByteMs: data.firstByteMs,
        attempts: data.attempts.length,
      }),
    RequestRefused: ({ data, position }, write) =>
      write.insert('requests', data.requestId, {
        ...requested(data, position),
        ...tokens(null),
        accountId: null,
        costMicroDollars: null,
        firstByteMs: null,
        attempts: 0,
      }),
  },
};

const requested = (data: CompletedRequest | RefusedRequest, position: Position) => ({
  requestId: data.requestId,
  requestedAt: data.requestedAt,
  apiKeyId: data.keyId,
  route: data.route,
  model: data.model,
  effort: data.effort,
  status: data.status,
  errorCode: data.errorCode,
  errorMessage: data.errorMessage,
  latencyMs: data.latencyMs,
  position,
});

const tokens = (usage: TokenUsage | null) => ({
  inputTokens: usage?.inputTokens ?? null,
  outputTokens: usage?.outputTokens ?? null,
  cachedInputTokens: usage?.cachedInputTokens ?? null,
  reasoningTokens: usage?.reasoningTokens ?? null,
});
