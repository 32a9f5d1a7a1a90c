import { expect, test } from 'vitest';
import { instant, iso } from '../src/domain/core/brands.ts';
import { endOf, type Period, startOf } from './periods.ts';

test.each<[Period, string, string, string]>([
  ['minute', '2026-01-15T12:59:59.999Z', '2026-01-15T12:59:00.000Z', '2026-01-15T13:00:00.000Z'],
  ['hour', '2026-01-15T12:59:59.999Z', '2026-01-15T12:00:00.000Z', '2026-01-15T13:00:00.000Z'],
  ['hour', '2026-01-15T13:00:00.000Z', '2026-01-15T13:00:00.000Z', '2026-01-15T14:00:00.000Z'],
  ['day', '2026-01-15T23:59:59.999Z', '2026-01-15T00:00:00.000Z', '2026-01-16T00:00:00.000Z'],
  ['month', '2024-02-29T12:00:00.000Z', '2024-02-01T00:00:00.000Z', '2024-03-01T00:00:00.000Z'],
  ['month', '2026-12-31T23:59:59.999Z', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
])('the %s of %s begins at %s and ends before %s', (period, at, start, end) => {
  const first = startOf(period, instant(Date.parse(at)));
  expect([iso(first), iso(endOf(period, first))]).toEqual([start, end]);
});
