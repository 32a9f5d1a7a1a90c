import { expect, test } from 'vitest';
import { HOUR, later, MINUTE } from '../../../test/support/specification.ts';
import { TimeSeries } from './timeSeries.ts';

test('adds up amounts by minute, in the order of time', () => {
  const series = new TimeSeries(['a', 'b'], 10);
  series.add(later(5 * MINUTE), { a: 1 });
  series.add(later(0), { b: 2 });
  series.add(later(30_000), { a: 3, b: 4 });
  expect(series.points()).toEqual([
    { at: later(0), a: 3, b: 6 },
    { at: later(5 * MINUTE), a: 1, b: 0 },
  ]);
});

test('widens its buckets instead of having more, and loses nothing', () => {
  const series = new TimeSeries(['a'], 10);
  for (let minute = 0; minute < 3_000; minute += 1) series.add(later(minute * MINUTE), { a: 1 });
  const points = series.points();
  expect(points.length).toBeLessThanOrEqual(10);
  expect(points.length).toBeGreaterThan(3);
  expect(points.reduce((sum, { a }) => sum + a, 0)).toBe(3_000);
  for (const { at } of points) expect(at % series.bucketMs).toBe(0);
  expect(series.bucketMs % HOUR).toBe(0);
});

test('has a bound for any times', () => {
  const series = new TimeSeries(['a'], 10);
  for (let year = 0; year < 500; year += 1) series.add(later(year * 365 * 24 * HOUR), { a: 1 });
  expect(series.points().length).toBeLessThanOrEqual(10);
});
