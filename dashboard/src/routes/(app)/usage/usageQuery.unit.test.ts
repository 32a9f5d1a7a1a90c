import { expect, test } from 'vitest';
import { apiQueries, GROUPINGS, requestsHref, spanOf, startOfStep, usageQueryFrom } from './usageQuery.ts';

const ALL = GROUPINGS.map(({ value }) => value);
const read = (query: string, groupings = ALL) => usageQueryFrom(new URLSearchParams(query), groupings);
const NOW = Date.parse('2026-11-21T12:34:56Z');

test('an empty URL is the last seven days by key, most expensive first', () => {
  expect(read('')).toMatchObject({ by: 'key', metric: 'cost', sort: 'cost', isAscending: false, last: '7d' });
});

test('fixed ends count only without a preset, and invalid values not at all', () => {
  expect(read('since=2026-11-01')).toMatchObject({ last: null, since: '2026-11-01T00:00:00.000Z', until: null });
  expect(read('last=30d&since=2026-11-01')).toMatchObject({ last: '30d', since: null });
  expect(read('by=x&show=x&sort=x&order=x&last=x&since=x')).toEqual(read(''));
});

test('a grouping that the viewer may not use is the default one', () => {
  expect(read('by=account', ['key', 'model']).by).toBe('key');
});

test('a preset begins with a day or an hour and is compared up to the same moment', () => {
  const week = spanOf(read('last=7d'), NOW);
  expect(startOfStep(Date.parse(week.since), 'day')).toBe(Date.parse(week.since));
  expect(week).toMatchObject({ until: undefined, interval: 'day', before: { until: '2026-11-14T12:34:56.000Z' } });
  expect((Date.parse(week.since) - Date.parse(week.before.since)) / 86_400_000).toBeCloseTo(7, 1);
  const day = spanOf(read('last=24h'), NOW);
  expect(NOW - Date.parse(day.since)).toBeGreaterThan(23 * 3_600_000);
  expect(NOW - Date.parse(day.since)).toBeLessThan(24 * 3_600_000);
  expect(day.interval).toBe('hour');
});

test('a fixed range is compared with one of the same length that ends before it', () => {
  expect(spanOf(read('since=2026-11-10T00:00:00Z&until=2026-11-10T23:59:59.999Z'), NOW)).toEqual({
    since: '2026-11-10T00:00:00.000Z',
    until: '2026-11-10T23:59:59.999Z',
    interval: 'hour',
    before: { since: '2026-11-09T00:00:00.000Z', until: '2026-11-09T23:59:59.999Z' },
  });
  expect(spanOf(read('since=2026-01-01'), NOW).interval).toBe('month');
});

test('passes the filters of the URL on to both periods', () => {
  const query = read('model=m&owner=&last=24h&search=x');
  const { current, before } = apiQueries(query, spanOf(query, NOW));
  for (const asked of [current, before]) expect(asked).toMatchObject({ group_by: 'key', model: ['m'], owner: [''] });
  expect(current).not.toHaveProperty('search');
});

test('links a group to its requests, with the filters that it was counted with', () => {
  const span = { since: 's', until: undefined };
  expect(requestsHref(read('model=m'), span, 'k1')).toBe('/request-logs?model=m&apiKeyId=k1&since=s');
  expect(requestsHref(read('by=owner'), span, null)).toBe('/request-logs?owner=&since=s');
  expect(requestsHref(read('by=model&model=a&model=b'), { since: 's', until: 'u' }, 'a')).toBe(
    '/request-logs?model=a&since=s&until=u',
  );
  // The log has no filter for requests without an account.
  expect(requestsHref(read('by=account'), span, null)).toBeUndefined();
  expect(requestsHref(read('client=cli'), span)).toBe('/request-logs?client=cli&since=s');
});
