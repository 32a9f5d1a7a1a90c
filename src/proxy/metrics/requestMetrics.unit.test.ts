import { expect, test } from 'vitest';
import { HttpResponses } from '../../lib/metrics/httpResponses.ts';
import type { Metric } from '../../lib/metrics/metric.ts';
import { RequestMetrics } from './requestMetrics.ts';

const MANY = 100_000;

const samplesOf = async (metrics: readonly Metric[]) =>
  (await Promise.all(metrics.map((metric) => metric.samples()))).flatMap((samples) => [...samples]);

test.each([
  ['knows no model', () => false, 1],
  ['takes every model for its own', () => true, 301],
])(
  '100,000 invented models, statuses, methods and paths are few series where the provider %s',
  async (_what, isKnownModel, models) => {
    const metrics = new RequestMetrics({ isKnownModel, now: () => 0 });
    const responses = new HttpResponses();
    for (let index = 0; index < MANY; index += 1) {
      metrics.onRefused({ route: '/v1/responses', model: `invented-${index}`, status: index });
      responses.count(undefined, `METHOD${index}`, index);
    }
    const requests = await samplesOf(metrics.metrics);
    const labels = (name: string) => new Set(requests.map((sample) => sample.labels[name]));
    expect([labels('model').size, labels('route').size]).toEqual([models, 1]);
    expect(labels('status').size).toBeLessThan(70);
    expect(requests.length).toBeLessThan(1_000);
    expect((await samplesOf([responses.metric])).length).toBeLessThan(70);
    expect(requests.reduce((sum, { value }) => sum + value, 0)).toBe(MANY);
  },
);

test('a label that is not from a closed set after all ends as other', async () => {
  const metrics = new RequestMetrics({ isKnownModel: () => false, now: () => 0 });
  for (let index = 0; index < MANY; index += 1)
    metrics.onRefused({ route: `/invented/${index}`, model: undefined, status: 404 });
  const requests = await samplesOf(metrics.metrics);
  expect(requests).toHaveLength(5_001);
  expect(requests.at(-1)).toMatchObject({ labels: { route: 'other' }, value: MANY - 5_000 });
});
