import type { ApiKeyId, Instant } from '../../domain/core/brands.ts';
import type { Attempt, CompletedRequest, TokenUsage } from '../../domain/request/events.ts';
import type { ClientRequest } from '../../http/client/clientRequest.ts';

/** What of the trace context the provider gets (docs/decisions/0101-traces.md). */
export const tracesToProvider = ['none', 'traceparent', 'all'] as const;
export type TraceToProvider = (typeof tracesToProvider)[number];

/** The trace and the span of a request, as its events record them. */
export type TraceContext = NonNullable<CompletedRequest['trace']>;

/** A model request of an identified client. */
export interface RequestToTrace {
  readonly request: ClientRequest;
  readonly requestId: string;
  readonly requestedAt: Instant;
  readonly keyId: ApiKeyId | null;
  /** Path of the route, with aliases resolved. */
  readonly route: string;
}

/** A model request that ended before an account was chosen. */
export interface RefusedTrace {
  /** HTTP status, or `error` when the client got no response. */
  readonly status: number | 'error';
  readonly code: string;
  /** Undefined when the request ended before its model was read. */
  readonly model: string | undefined;
}

/** A model request whose response has ended. */
export interface TracedRequest {
  readonly request: { readonly route: string; readonly model: string };
  /** How it ended, as the log records it. */
  readonly outcome: { readonly status: string; readonly code: string | null; readonly usage: TokenUsage | undefined };
  readonly attempts: readonly Attempt[];
  readonly firstByteAt: Instant | undefined;
}

/** The spans of one model request. One of `onCompleted` and `onRefused` ends them. */
export interface RequestTrace {
  /** Undefined when neither the client nor svc records the trace. */
  readonly context: TraceContext | undefined;
  /**
   * Called before the provider is called for an attempt.
   * @param index of the attempt in the request
   * @returns headers for the provider: alternating names and values
   */
  onCall(index: number, startedAt: Instant): readonly string[];
  /** Called when the response has ended. @param status of the response as text, or `error` */
  onCompleted(request: TracedRequest, status: string): void;
  onRefused(refused: RefusedTrace): void;
}

/** Begins the spans of model requests. Absent while traces are off. */
export type BeginTrace = (request: RequestToTrace) => RequestTrace;
