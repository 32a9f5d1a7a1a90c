import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Faults } from '../faults.ts';
import { type Post, PostFailed, shownUrl } from '../outgoing/post.ts';
import { sleep } from '../sleep.ts';
import type { TracingSettings } from './tracingSettings.ts';

export interface OtlpExporterOptions extends Pick<TracingSettings, 'url' | 'protocol' | 'headers'> {
  readonly post: Post;
  readonly faults: Pick<Faults, 'raise' | 'clear'>;
  /** Pauses between attempts, in ms; the last one repeats. */
  readonly pausesMs?: readonly number[];
}

const SERIALIZERS = {
  'http/protobuf': { serializer: ProtobufTraceSerializer, contentType: 'application/x-protobuf' },
  'http/json': { serializer: JsonTraceSerializer, contentType: 'application/json' },
} as const;

const PAUSES_MS = [1_000, 2_000, 5_000, 10_000];

/** Statuses after which the same batch may be taken later (https://opentelemetry.io/docs/specs/otlp/#failures-1). */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

const FAULT = 'traces_not_sent';

/**
 * Posts batches of spans to an OTLP receiver by the rules for URLs that an operator has named (`createPost`). A batch that the receiver
 * cannot take for the moment is kept and sent again until it is taken, so one batch waits here while further spans wait in the
 * bounded queue of the processor; one that the receiver refuses is dropped.
 */
export class OtlpExporter implements SpanExporter {
  readonly #options: OtlpExporterOptions;
  readonly #stop = new AbortController();

  constructor(options: OtlpExporterOptions) {
    this.#options = options;
  }

  export(spans: ReadableSpan[], onDone: (result: ExportResult) => void): void {
    this.#send(spans).then(
      () => onDone({ code: ExportResultCode.SUCCESS }),
      (error: Error) => onDone({ code: ExportResultCode.FAILED, error }),
    );
  }

  /** Ends the attempts that are being made. */
  async shutdown(): Promise<void> {
    this.#stop.abort();
  }

  async #send(spans: ReadableSpan[]): Promise<void> {
    const { url, protocol, headers, post, faults, pausesMs = PAUSES_MS } = this.#options;
    const { serializer, contentType } = SERIALIZERS[protocol];
    const body = serializer.serializeRequest(spans);
    if (!body) return;
    const { signal } = this.#stop;
    for (let failures = 0; ; failures++) {
      const problem = await post({ url, body, headers: { ...headers, 'content-type': contentType }, signal }).then(
        ({ status }) => (status >= 200 && status < 300 ? undefined : status),
        (error: Error) => {
          if (error instanceof PostFailed) return error;
          throw error;
        },
      );
      if (problem === undefined) {
        faults.clear(FAULT);
        return;
      }
      if (signal.aborted) return;
      const isStatus = typeof problem === 'number';
      const isRefused = isStatus && !RETRYABLE.has(problem);
      const cause = isStatus ? `${shownUrl(url)} responded with status ${problem}.` : problem.message;
      faults.raise(
        {
          code: FAULT,
          cause: `Traces are not being sent: ${cause}`,
          remedy: isRefused
            ? 'Check the endpoint, its headers and its protocol (OTEL_EXPORTER_OTLP_...). These spans are dropped; requests are served as usual.'
            : 'svc keeps the first 2,048 spans, drops further ones and tries again by itself. Requests are served as usual.',
        },
        { level: 'warn' },
      );
      if (isRefused) return;
      await sleep(pausesMs[Math.min(failures, pausesMs.length - 1)] as number, signal);
      if (signal.aborted) return;
    }
  }
}
