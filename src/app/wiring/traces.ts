import type { Post } from '../../lib/outgoing/post.ts';
import { proxyRoutes } from '../../proxy/routes/routes.ts';
import type { BeginTrace } from '../../proxy/tracing/requestTrace.ts';
import type { RequestTracesOptions } from '../../proxy/tracing/requestTraces.ts';
import { readTracing } from '../config/tracingConfig.ts';
import type { Foundation } from './foundation.ts';
import { VERSION } from './version.ts';

/** The traces of model requests. */
export interface Traces {
  readonly beginTraces: (options: Pick<RequestTracesOptions, 'isKnownModel' | 'now'>) => BeginTrace;
  /** Sends what has ended, for at most 2 s. */
  stop(): Promise<void>;
}

const STOP_MS = 2_000;

/** Loads OpenTelemetry if an endpoint for traces is set. @returns undefined while traces are off */
export async function openTraces(
  { config, faults }: Foundation,
  { post }: { readonly post: Post },
): Promise<Traces | undefined> {
  const settings = readTracing(config);
  if (!settings) return undefined;
  const { openTracer } = await import('../../lib/tracing/openTracer.ts');
  const { createRequestTraces } = await import('../../proxy/tracing/requestTraces.ts');
  const { tracer, stop } = openTracer({ ...settings, post, faults, scope: { name: 'svc', version: VERSION } });
  const upstream = new URL(config.SVC_UPSTREAM_BASE_URL);
  const server = {
    host: upstream.hostname,
    port: Number(upstream.port || (upstream.protocol === 'https:' ? 443 : 80)),
  };
  const operationOf = (route: string) => (proxyRoutes.get(route)?.kind === 'transcription' ? 'transcribe' : 'chat');
  return {
    beginTraces: (options) =>
      createRequestTraces({ tracer, toProvider: config.SVC_TRACE_TO_PROVIDER, operationOf, server, ...options }),
    stop: () => stop(STOP_MS),
  };
}
