import { expect, test } from 'vitest';
import { Counters } from './counters.ts';
import { Histogram } from './histogram.ts';
import { HttpResponses } from './httpResponses.ts';
import { gauge, type Metric, single } from './metric.ts';
import { MetricRegistry } from './metricRegistry.ts';

function exposed(...metrics: Metric[]) {
  const registry = new MetricRegistry();
  registry.add(...metrics);
  return {
    text: async () => (await registry.expose('text')).text,
    openMetrics: async () => (await registry.expose('openMetrics')).text,
  };
}

function counted(): Counters<readonly ['name']> {
  const counters = new Counters('svc_things_total', 'Things.', ['name']);
  counters.add('one');
  counters.add('one');
  counters.add('two "quoted"\\');
  return counters;
}

test('writes the classic text also after OpenMetrics was written', async () => {
  const { text, openMetrics } = exposed(counted());
  const classic = `# HELP svc_things_total Things.
# TYPE svc_things_total counter
svc_things_total{name="one"} 2
svc_things_total{name="two \\"quoted\\"\\\\"} 1
`;
  expect(await text()).toBe(classic);
  expect(await openMetrics()).toBe(`# HELP svc_things Things.
# TYPE svc_things counter
svc_things_total{name="one"} 2
svc_things_total{name="two \\"quoted\\"\\\\"} 1
# EOF
`);
  expect(await text()).toBe(classic);
});

test('writes a histogram with cumulated buckets', async () => {
  const histogram = new Histogram('svc_wait_seconds', 'Waits.', [0.1, 1], 'route');
  for (const value of [0.1, 0.5, 0.25, 7]) histogram.of('/v1').observe(value);
  for (const read of Object.values(exposed(histogram))) {
    expect((await read()).split('\n').filter((line) => line.startsWith('svc_'))).toEqual([
      'svc_wait_seconds_bucket{route="/v1",le="0.1"} 1',
      'svc_wait_seconds_bucket{route="/v1",le="1"} 3',
      'svc_wait_seconds_bucket{route="/v1",le="+Inf"} 4',
      'svc_wait_seconds_sum{route="/v1"} 7.85',
      'svc_wait_seconds_count{route="/v1"} 4',
    ]);
  }
});

test('leaves out what cannot be read, and shows the rest', async () => {
  const failing = gauge('svc_failing', 'Fails.', [], () => Promise.reject(new Error('the thread ended')));
  const throwing = gauge('svc_throwing', 'Throws.', [], () => {
    throw new Error('closed');
  });
  const { text } = exposed(
    failing,
    throwing,
    gauge('svc_fine', 'Fine.', [], () => single(1)),
  );
  expect((await text()).split('\n').filter((line) => line.startsWith('svc_'))).toEqual(['svc_fine 1']);
});

test.each([
  ['a name of another program', { name: 'http_things_total' }],
  ['a counter without _total', { name: 'svc_things' }],
  ['a gauge with _total', { name: 'svc_things_total', type: 'gauge' as const }],
  ['another name that ends in requests_total', { name: 'svc_http_requests_total' }],
])('refuses %s', (_what, changes) => {
  const metric: Metric = {
    help: '',
    type: 'counter',
    labelNames: [],
    samples: () => [],
    ...changes,
  };
  expect(() => new MetricRegistry().add(metric)).toThrow(metric.name);
});

test('refuses a name twice', () => {
  const registry = new MetricRegistry();
  registry.add(counted());
  expect(() => registry.add(counted())).toThrow('svc_things_total');
});

test('a counter has a bounded number of label values, and loses no count', () => {
  const counters = new Counters('svc_things_total', 'Things.', ['a', 'b']);
  for (let index = 0; index < 100_000; index += 1) counters.add(String(index), 'x');
  const samples = [...counters.samples()];
  expect(samples.length).toBeLessThanOrEqual(5_001);
  expect(samples.reduce((sum, { value }) => sum + value, 0)).toBe(100_000);
  expect(samples.at(-1)?.labels).toEqual({ a: 'other', b: 'other' });
});

test('counts responses by template, and what clients invent as other', () => {
  const responses = new HttpResponses();
  responses.count('/api/api-keys/:id/regenerate', 'POST', 200);
  responses.count('/v1/models/{id}', 'GET', 404);
  responses.count('/api/replays/', 'GET', 200);
  for (let index = 0; index < 1_000; index += 1) responses.count(undefined, `M${index}`, 600 + index);
  expect(Array.from(responses.metric.samples(), ({ labels, value }) => [...Object.values(labels), value])).toEqual([
    ['/api/api-keys/:id/regenerate', 'POST', '200', 1],
    ['/v1/models/:id', 'GET', '404', 1],
    ['/api/replays', 'GET', '200', 1],
    ['other', 'other', 'other', 1_000],
  ]);
});
