import type { Tracer } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { withTimeout } from '../withTimeout.ts';
import { OtlpExporter, type OtlpExporterOptions } from './otlpExporter.ts';
import type { TracingSettings } from './tracingSettings.ts';

export interface TracerOptions extends TracingSettings, Pick<OtlpExporterOptions, 'post' | 'faults' | 'pausesMs'> {
  /** Name and version of what makes the spans. */
  readonly scope: { readonly name: string; readonly version: string };
}

/** A tracer whose spans are sent in batches. */
export interface OpenTracer {
  readonly tracer: Tracer;
  /** Sends what has ended, for at most this time, and then nothing more. */
  stop(timeoutMs: number): Promise<void>;
}

/** 2,048 spans of a model request take some 4 MB. */
const MAX_QUEUED_SPANS = 2_048;
const MAX_BATCH_SPANS = 512;

/** The exporter itself decides how long it tries. Timers take at most 2^31 - 1 ms. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** Creates the tracer. Nothing becomes global: no other package of the process is traced. */
export function openTracer(options: TracerOptions): OpenTracer {
  const exporter = new OtlpExporter(options);
  const processor = new BatchSpanProcessor({
    exporter,
    maxQueueSize: MAX_QUEUED_SPANS,
    maxExportBatchSize: MAX_BATCH_SPANS,
    scheduledDelayMillis: options.delayMs,
    exportTimeoutMillis: NO_TIMEOUT_MS,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ ...options.resource }),
    sampler: createSampler(options),
    spanProcessors: [processor],
  });
  return {
    tracer: provider.getTracer(options.scope.name, options.scope.version),
    async stop(timeoutMs) {
      const ended = provider.shutdown().catch(() => undefined);
      await withTimeout(timeoutMs, ended);
      await exporter.shutdown();
      await ended;
    },
  };
}

function createSampler({ sampler, ratio }: TracingSettings): Sampler {
  switch (sampler) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(ratio);
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) });
  }
}
