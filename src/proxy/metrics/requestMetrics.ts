import { type Attempt, WEBSOCKET } from '../../domain/request/events.ts';
import { Counters, OTHER } from '../../lib/metrics/counters.ts';
import { Histogram } from '../../lib/metrics/histogram.ts';
import { statusLabel } from '../../lib/metrics/httpResponses.ts';
import type { Metric } from '../../lib/metrics/metric.ts';
import type { Settlement } from '../settlement/settlement.ts';

export interface RequestMetricsOptions {
  /** Whether the provider or the price table has this model. What clients invent must not become label values. */
  readonly isKnownModel: (model: string) => boolean;
  readonly now: () => number;
}

/** A model request that ended before an account was chosen. */
export interface RefusedModelRequest {
  /** Path of the route, with aliases resolved. */
  readonly route: string;
  /** Undefined when the request ended before its model was read. */
  readonly model: string | undefined;
  /** HTTP status, or `error` when the client got no response. */
  readonly status: number | 'error';
}

/** The label of requests that ended before it was known. */
const NONE = 'none';
/** A response that failed after its head was sent, or that the client did not wait for. */
const ERROR = 'error';

/** The transport of all other requests. */
const HTTP = 'http';

/** Of providers that list models without end. */
const MAX_MODELS = 300;

const DURATIONS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600, 1_800];
const FIRST_BYTES = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120];
const ADDED = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60];

/** Counts model requests, each once, when it ends. */
export class RequestMetrics {
  readonly #options: RequestMetricsOptions;
  readonly #models = new Set<string>();
  readonly #requests = new Counters(
    'svc_requests_total',
    'Model requests that have ended, by route, status of the response, model, and outcome of the last attempt with an account.',
    ['route', 'status', 'model', 'account_outcome'],
  );
  readonly #attempts = new Counters(
    'svc_attempts_total',
    'Attempts to serve a model request with an account, by class of their outcome.',
    ['class'],
  );
  readonly #durations = new Histogram(
    'svc_request_duration_seconds',
    'Time from the arrival of a model request to the end of its response, for requests that tried an account.',
    DURATIONS,
    'route',
  );
  readonly #firstBytes = new Histogram(
    'svc_request_first_byte_seconds',
    'Time from the arrival of a model request to the first event of the provider.',
    FIRST_BYTES,
    'route',
  );
  readonly #added = new Histogram(
    'svc_request_added_seconds',
    'The part of the duration in which no account was being tried: reading, admission, waiting for an account, recording.',
    ADDED,
    'route',
  );

  readonly #transportFirstBytes = new Histogram(
    'svc_transport_first_byte_seconds',
    'Time from the arrival of a model request to the first event of the provider, by how the client sent it.',
    FIRST_BYTES,
    'transport',
  );
  readonly #inputTokens = new Counters(
    'svc_input_tokens_total',
    'Input tokens of model requests, by how the client sent them and whether the provider had them in its cache.',
    ['transport', 'cached'],
  );

  constructor(options: RequestMetricsOptions) {
    this.#options = options;
  }

  get metrics(): readonly Metric[] {
    return [
      this.#requests,
      this.#attempts,
      this.#durations,
      this.#firstBytes,
      this.#added,
      this.#transportFirstBytes,
      this.#inputTokens,
    ];
  }

  /** Called when a request has ended that tried to get an account. @param status of the response, as text, or `error` */
  onEnded({ request, outcome, attempts, firstByteAt }: Settlement, status: string): void {
    const { route, requestedAt } = request;
    const last = attempts.at(-1)?.outcome ?? NONE;
    this.#requests.add(route, status === ERROR ? ERROR : statusLabel(status), this.#modelLabel(request.model), last);
    for (const { outcome } of attempts) this.#attempts.add(outcome);
    const durationMs = Math.max(0, this.#options.now() - requestedAt);
    this.#durations.of(route).observe(durationMs / 1_000);
    this.#added.of(route).observe(Math.max(0, durationMs - attemptedMs(attempts)) / 1_000);
    const transport = request.socket ? WEBSOCKET : HTTP;
    if (firstByteAt !== undefined) {
      const seconds = Math.max(0, firstByteAt - requestedAt) / 1_000;
      this.#firstBytes.of(route).observe(seconds);
      this.#transportFirstBytes.of(transport).observe(seconds);
    }
    const { usage } = outcome;
    if (!usage || usage.isEstimated) return;
    this.#inputTokens.addMany(usage.cachedInputTokens, transport, 'yes');
    this.#inputTokens.addMany(usage.inputTokens - usage.cachedInputTokens, transport, 'no');
  }

  /** Called when a request to a model route has ended before an account was chosen. */
  onRefused({ route, model, status }: RefusedModelRequest): void {
    const label = status === ERROR ? ERROR : statusLabel(status);
    this.#requests.add(route, label, model === undefined ? NONE : this.#modelLabel(model), NONE);
  }

  #modelLabel(model: string): string {
    if (this.#models.has(model)) return model;
    if (this.#models.size >= MAX_MODELS || !this.#options.isKnownModel(model)) return OTHER;
    this.#models.add(model);
    return model;
  }
}

function attemptedMs(attempts: readonly Attempt[]): number {
  let sum = 0;
  for (const { startedAt, endedAt } of attempts) sum += endedAt - startedAt;
  return sum;
}
