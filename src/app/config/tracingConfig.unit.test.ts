import { expect, test } from 'vitest';
import { problemsOfTracing, readTracing } from './tracingConfig.ts';

const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT';
const on = { [ENDPOINT]: 'http://127.0.0.1:4318' };

test('is off without an endpoint, and where OpenTelemetry is switched off', () => {
  const given = [
    { OTEL_SERVICE_NAME: 'svc', OTEL_TRACES_SAMPLER: 'unknown' },
    { ...on, OTEL_SDK_DISABLED: 'TRUE' },
    { ...on, OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
  ];
  for (const env of given) expect([readTracing(env), problemsOfTracing(env)]).toEqual([undefined, []]);
});

test('needs no setting but the endpoint', () => {
  expect(readTracing(on)).toEqual({
    url: new URL('http://127.0.0.1:4318/v1/traces'),
    protocol: 'http/protobuf',
    headers: {},
    sampler: 'parentbased_always_on',
    ratio: 1,
    delayMs: 5_000,
    resource: { 'service.name': 'svc' },
  });
});

test('prefers the settings for traces, and takes their endpoint as it is', () => {
  const settings = readTracing({
    [ENDPOINT]: 'https://collector.example.com/otlp/',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example.com/api/take?v=1',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: 'a=b',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'api-key=a%20b%3D, x-team = one=two',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment.name=test',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  });
  expect(settings).toEqual({
    url: new URL('https://traces.example.com/api/take?v=1'),
    protocol: 'http/json',
    headers: { 'api-key': 'a b=', 'x-team': 'one=two' },
    sampler: 'traceidratio',
    ratio: 0.25,
    delayMs: 100,
    resource: { 'service.name': 'other', 'deployment.environment.name': 'test' },
  });
  expect(readTracing({ [ENDPOINT]: 'https://collector.example.com/otlp/' })?.url.href).toBe(
    'https://collector.example.com/otlp/v1/traces',
  );
});

test.each([
  ['OTEL_TRACES_EXPORTER', 'zipkin'],
  [ENDPOINT, 'collector:4317'],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'ftp://collector/'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'no-value'],
  ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'a=b%0d%0aother: c'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a b=c'],
  ['OTEL_RESOURCE_ATTRIBUTES', 'a=%zz'],
  ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
  ['OTEL_BSP_SCHEDULE_DELAY', '0'],
])('refuses %s=%s by name, and says how to switch traces off', (name, value) => {
  const problems = problemsOfTracing({ ...on, [name]: value });
  expect(problems).toEqual([expect.stringMatching(new RegExp(`^${name}: must be .*OTEL_TRACES_EXPORTER=none\\.$`))]);
  expect(readTracing({ ...on, [name]: value })).toBeUndefined();
});

test.each(['-0.1', '1.5', 'half'])('refuses the ratio %s', (ratio) => {
  const given = { ...on, OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: ratio };
  expect(problemsOfTracing(given)).toEqual([expect.stringMatching(/^OTEL_TRACES_SAMPLER_ARG: /)]);
});

test('does not quote headers, which are secrets', () => {
  expect(problemsOfTracing({ ...on, OTEL_EXPORTER_OTLP_HEADERS: 'api-key' }).join()).not.toContain('api-key=a-secret');
  const [problem] = problemsOfTracing({ ...on, OTEL_EXPORTER_OTLP_HEADERS: 'x y=hunter2' });
  expect(problem).not.toContain('hunter2');
});
