import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  InMemorySpanExporter,
  ParentBasedSampler,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { expect, test } from 'vitest';
import { instant } from '../../domain/core/brands.ts';
import type { ClientRequest } from '../../http/client/clientRequest.ts';
import type { TraceToProvider } from './requestTrace.ts';
import { createRequestTraces } from './requestTraces.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CLIENT = { traceparent: `00-${TRACE}-b7ad6b7169203331-01`, tracestate: 'a=1,b=2' };
const NOW = instant(1_700_000_000_000);

/** A request that has begun. */
function begin({
  toProvider = 'traceparent' as TraceToProvider,
  headers = {} as Record<string, string>,
  samples = true,
} = {}) {
  const exporter = new InMemorySpanExporter();
  const root = samples ? new AlwaysOnSampler() : new AlwaysOffSampler();
  const provider = new TracerProvider({
    sampler: new ParentBasedSampler({ root }),
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  });
  const beginTrace = createRequestTraces({
    tracer: provider.getTracer('test'),
    toProvider,
    operationOf: () => 'chat',
    server: { host: 'provider', port: 443 },
    isKnownModel: () => true,
    now: () => NOW,
  });
  const request = { headers } as ClientRequest;
  const trace = beginTrace({ request, requestId: 'req_1', requestedAt: NOW, keyId: null, route: '/v1/responses' });
  return { trace, spans: () => exporter.getFinishedSpans() };
}

test.each([
  ['none', []],
  ['traceparent', ['traceparent', expect.stringMatching(`^00-${TRACE}-[0-9a-f]{16}-01$`)]],
  ['all', ['traceparent', expect.stringMatching(`^00-${TRACE}-[0-9a-f]{16}-01$`), 'tracestate', 'a=1,b=2']],
] as const)('gives the provider %s', (toProvider, expected) => {
  expect(begin({ toProvider, headers: CLIENT }).trace.onCall(0, NOW)).toEqual(expected);
});

test('gives the provider no tracestate that would be another header', () => {
  const headers = { ...CLIENT, tracestate: 'a=1\r\nx-other: 1,b=2' };
  expect(begin({ toProvider: 'all', headers }).trace.onCall(0, NOW).slice(2)).toEqual(['tracestate', 'b=2']);
});

test('has no context for the event when the trace began here and is not recorded', () => {
  const { trace, spans } = begin({ samples: false });
  expect(trace.context).toBeUndefined();
  expect(trace.onCall(0, NOW)[1]).toMatch(/-00$/);
  trace.onRefused({ status: 403, code: 'ip_forbidden', model: undefined });
  expect(spans()).toEqual([]);
});

test('ends its spans once', () => {
  const { trace, spans } = begin();
  trace.onRefused({ status: 400, code: 'invalid_json', model: undefined });
  trace.onRefused({ status: 500, code: 'internal_error', model: undefined });
  trace.onCompleted(
    {
      request: { route: '/v1/responses', model: 'gpt-5' },
      outcome: { status: '200', code: null, usage: undefined },
      attempts: [],
      firstByteAt: undefined,
    },
    '200',
  );
  expect(spans().map(({ attributes }) => attributes['error.type'])).toEqual(['invalid_json']);
});
