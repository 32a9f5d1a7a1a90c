import { expect, test } from 'vitest';
import { errorPercent, logsHref, type Point, periodOf, rangeOf, rowsOf, sumsOf } from './trends.ts';

const point = (t: string, changes: Partial<Point> = {}): Point => ({
  t,
  requests: 0,
  errors: 0,
  input_tokens: 0,
  cached_input_tokens: 0,
  output_tokens: 0,
  cost_usd: 0,
  mean_latency_ms: null,
  ...changes,
});
const POINTS = [
  point('2026-01-15T21:50:00Z', { requests: 4, errors: 1, input_tokens: 100, cost_usd: 0.5 }),
  point('2026-01-15T22:00:00Z'),
  point('2026-01-15T23:00:00Z', { requests: 2, cached_input_tokens: 3, input_tokens: 10, output_tokens: 7 }),
  point('2026-01-15T23:10:00Z', { requests: 1, cost_usd: 0.25 }),
];

test('an unknown period falls back to 24 hours', () =>
  expect([periodOf(null), periodOf('7d'), periodOf('9y')].map(({ name }) => name)).toEqual(['24h', '7d', '24h']));

test('sums points', () => {
  const sums = { requests: 7, errors: 1, inputTokens: 110, cachedTokens: 3, outputTokens: 7, cost: 0.75 };
  expect(sumsOf(POINTS)).toEqual(sums);
  expect([errorPercent(sums), errorPercent({ requests: 0, errors: 0 })]).toEqual([(1 / 7) * 100, 0]);
});

test('groups rows by hour or day in the viewer’s time zone, newest first, without empty ones', () => {
  const hours = rowsOf(POINTS, { rowsBy: 'hour', stepMinutes: 10 }, 'Europe/Berlin');
  expect(hours.map(({ title, requests, since, until }) => [title, requests, since, until])).toEqual([
    ['Fri 16 Jan, 00:00', 3, '2026-01-15T23:00:00Z', '2026-01-15T23:19:59.999Z'],
    ['Thu 15 Jan, 22:00', 4, '2026-01-15T21:50:00Z', '2026-01-15T21:59:59.999Z'],
  ]);
  const days = rowsOf(POINTS, { rowsBy: 'day', stepMinutes: 60 }, 'UTC');
  expect(days.map(({ title, requests }) => [title, requests])).toEqual([['Thu 15 Jan', 7]]);
});

test('links a step to its requests', () =>
  expect(logsHref(rangeOf([point('2026-01-15T22:00:00Z')], 10))).toBe(
    '/request-logs?since=2026-01-15T22%3A00%3A00Z&until=2026-01-15T22%3A09%3A59.999Z',
  ));
