import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { parseTraceParent, TraceState } from '@opentelemetry/core';
import type { Instant } from '../../domain/core/brands.ts';
import type { Attempt, TokenUsage } from '../../domain/request/events.ts';
import type { ClientRequest } from '../../http/client/clientRequest.ts';
import { OTHER } from '../../lib/metrics/counters.ts';
import type {
  BeginTrace,
  RefusedTrace,
  RequestToTrace,
  RequestTrace,
  TraceContext,
  TracedRequest,
  TraceToProvider,
} from './requestTrace.ts';

export interface RequestTracesOptions {
  readonly tracer: Tracer;
  readonly toProvider: TraceToProvider;
  /** What is asked of a model by a route, as `gen_ai.operation.name` has it. */
  readonly operationOf: (route: string) => string;
  /** Host and port of the provider. */
  readonly server: { readonly host: string; readonly port: number };
  /** Whether the provider or the price table has this model. What clients invent must not become an attribute. */
  readonly isKnownModel: (model: string) => boolean;
  readonly now: () => Instant;
}

/** What an attempt asked of a model, and what the last attempt got. */
interface ModelCall {
  readonly operation: string;
  readonly model: string;
  readonly usage?: TokenUsage | undefined;
  readonly firstByteAt?: Instant | undefined;
}

const NO_HEADERS: readonly string[] = [];

/**
 * Creates the function that begins the spans of a model request: one of the server, and for each attempt one of a client of the
 * model (https://opentelemetry.io/docs/specs/semconv/gen-ai/). Their times are those of the events, so that trace and log say the same.
 * Attribute values are ids of svc, numbers or from closed sets: no text of a request, no e-mail address, no token.
 */
export const createRequestTraces =
  (options: RequestTracesOptions): BeginTrace =>
  (request) =>
    new SpansOfRequest(options, request);

class SpansOfRequest implements RequestTrace {
  readonly context: TraceContext | undefined;
  readonly #options: RequestTracesOptions;
  readonly #span: Span;
  /** With the span of the request, the parent of its attempts. */
  readonly #inside: Context;
  /** Spans of the attempts that called the provider, by index. */
  readonly #calls: Span[] = [];
  #hasEnded = false;

  constructor(options: RequestTracesOptions, { request, requestId, requestedAt, keyId, route }: RequestToTrace) {
    this.#options = options;
    const parent = parentOf(request);
    const outside = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
    const attributes = {
      'http.request.method': 'POST',
      'http.route': route,
      'svc.request.id': requestId,
      ...(keyId !== null && { 'svc.key.id': keyId }),
    };
    const kind = SpanKind.SERVER;
    this.#span = options.tracer.startSpan(`POST ${route}`, { kind, startTime: requestedAt, attributes }, outside);
    this.#inside = trace.setSpan(outside, this.#span);
    const { traceId, spanId, traceFlags } = this.#span.spanContext();
    // A trace that began here and is not sampled exists nowhere.
    const isRecorded = parent !== undefined || isSampled(traceFlags);
    this.context = isRecorded ? { traceId, parentId: spanId } : undefined;
  }

  onCall(index: number, startedAt: Instant): readonly string[] {
    const span = this.#startAttempt(startedAt);
    this.#calls[index] = span;
    const { toProvider } = this.#options;
    if (toProvider === 'none') return NO_HEADERS;
    const { traceId, spanId, traceFlags, traceState } = span.spanContext();
    const flags = isSampled(traceFlags) ? '01' : '00';
    const headers = ['traceparent', `00-${traceId}-${spanId}-${flags}`];
    const state = toProvider === 'all' ? traceState?.serialize() : undefined;
    return state ? [...headers, 'tracestate', state] : headers;
  }

  onCompleted({ request, outcome, attempts, firstByteAt }: TracedRequest, status: string): void {
    if (this.#hasEnded) return;
    const model = this.#known(request.model);
    const operation = this.#options.operationOf(request.route);
    for (const [index, attempt] of attempts.entries()) {
      const isLast = index === attempts.length - 1;
      const result = isLast ? { usage: outcome.usage, firstByteAt } : {};
      const span = this.#calls[index] ?? this.#startAttempt(attempt.startedAt);
      this.#endAttempt(span, index, attempt, { operation, model, ...result });
    }
    this.#end(status, model, errorType(attempts.at(-1), outcome, status));
  }

  onRefused({ status, code, model }: RefusedTrace): void {
    if (this.#hasEnded) return;
    this.#end(String(status), model === undefined ? undefined : this.#known(model), code);
  }

  #startAttempt(startTime: Instant): Span {
    return this.#options.tracer.startSpan('attempt', { kind: SpanKind.CLIENT, startTime }, this.#inside);
  }

  #endAttempt(
    span: Span,
    index: number,
    { accountId, outcome, startedAt, endedAt, providerStatus, region, isRepeat, waitedMs }: Attempt,
    { operation, model, usage, firstByteAt }: ModelCall,
  ): void {
    if (span.isRecording()) {
      const { host, port } = this.#options.server;
      // The event leaves out the status of a success.
      const status = providerStatus ?? (outcome === 'ok' ? 200 : undefined);
      span.updateName(`${operation} ${model}`);
      span.setAttributes({
        'gen_ai.operation.name': operation,
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': model,
        'server.address': host,
        'server.port': port,
        'svc.account.id': accountId,
        'svc.attempt.number': index + 1,
        'svc.attempt.outcome': outcome,
        ...(region !== undefined && { 'svc.account.region': region }),
        ...(isRepeat && { 'svc.attempt.is_repeat': true }),
        ...(waitedMs !== undefined && { 'svc.attempt.waited_ms': waitedMs }),
        ...(status !== undefined && { 'http.response.status_code': status }),
        ...(outcome !== 'ok' && { 'error.type': outcome }),
        ...(firstByteAt !== undefined && {
          'gen_ai.response.time_to_first_chunk': Math.max(0, firstByteAt - startedAt) / 1_000,
        }),
        ...(usage && usageAttributes(usage)),
      });
      if (outcome !== 'ok' && outcome !== 'client_gone') span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end(endedAt);
  }

  #end(status: string, model: string | undefined, error: string | undefined): void {
    this.#hasEnded = true;
    const span = this.#span;
    if (span.isRecording()) {
      span.setAttributes({
        ...(model !== undefined && { 'gen_ai.request.model': model }),
        ...(status !== 'error' && { 'http.response.status_code': Number(status) }),
        ...(error !== undefined && { 'error.type': error }),
      });
      // As for servers in general: what is the client's fault, or its own end, is no error of the server.
      const isError = status === 'error' ? error !== CLIENT_GONE : Number(status) >= 500;
      if (isError) span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end(this.#options.now());
  }

  #known(model: string): string {
    return this.#options.isKnownModel(model) ? model : OTHER;
  }
}

const CLIENT_GONE = 'client_gone';

/** From the outcomes of attempts, else the codes of svc: the provider's codes are not a closed set. */
function errorType(last: Attempt | undefined, outcome: TracedRequest['outcome'], status: string): string | undefined {
  if (status !== outcome.status) return 'log_unavailable';
  if (status === '200') return undefined;
  if (outcome.code === 'client_disconnected') return CLIENT_GONE;
  return last && last.outcome !== 'ok' ? last.outcome : (outcome.code ?? undefined);
}

const usageAttributes = (usage: TokenUsage): Attributes => ({
  'gen_ai.usage.input_tokens': usage.inputTokens,
  'gen_ai.usage.cache_read.input_tokens': usage.cachedInputTokens,
  'gen_ai.usage.output_tokens': usage.outputTokens,
  'gen_ai.usage.reasoning.output_tokens': usage.reasoningTokens,
  ...(usage.isEstimated && { 'svc.usage.is_estimated': true }),
});

const isSampled = (flags: number): boolean => (flags & TraceFlags.SAMPLED) !== 0;

/** The span of the client, if it named a valid one (https://www.w3.org/TR/trace-context/). */
function parentOf({ headers }: ClientRequest): SpanContext | undefined {
  const { traceparent, tracestate } = headers;
  if (typeof traceparent !== 'string') return undefined;
  const parent = parseTraceParent(traceparent);
  if (!parent) return undefined;
  // Node joins what is sent in several lines.
  const traceState = tracestate === undefined ? undefined : new TraceState(String(tracestate));
  return { ...parent, isRemote: true, ...(traceState && { traceState }) };
}
