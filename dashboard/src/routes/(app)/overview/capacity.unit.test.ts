import { expect, test } from 'vitest';
import type { Schemas } from '#lib/api/client.ts';
import { forecastsOf, placeOf } from './capacity.ts';

type Account = Schemas['Account'];
const HOUR = 3_600_000;
const NOW = Date.parse('2026-11-21T12:00:00Z');

const account = (email: string, [primary, secondary]: [number, number], more: Partial<Account> = {}) =>
  ({
    email,
    status: 'active',
    usage_observed_at: '2026-11-21T11:59:00Z',
    usage: { primary_remaining_percent: primary, secondary_remaining_percent: secondary },
    window_minutes_primary: 300,
    window_minutes_secondary: 10_080,
    reset_at_primary: new Date(NOW + 2.5 * HOUR).toISOString(),
    reset_at_secondary: new Date(NOW + 84 * HOUR).toISOString(),
    ...more,
  }) as Account;

test('lists accounts that stop first, with when, and those that last by name', () => {
  const forecasts = forecastsOf(
    [account('lasts', [90, 80]), account('also', [60, 60]), account('weekly', [90, 25]), account('now', [0, 90])],
    NOW,
  );
  expect(forecasts.map(({ account: { email }, text }) => `${email}: ${text}`)).toEqual([
    'now: Primary used up, resets in 2h 30m',
    'weekly: Secondary used up in 1d 4h, 2d 8h before its reset',
    'also: Lasts until its resets',
    'lasts: Lasts until its resets',
  ]);
});

test('leaves out accounts that do not serve, and windows that are unknown or over', () => {
  const over = new Date(NOW - 1).toISOString();
  expect(forecastsOf([account('paused', [90, 80], { status: 'paused' })], NOW)).toEqual([]);
  expect(forecastsOf([account('new', [100, 100], { usage_observed_at: null })], NOW)).toEqual([]);
  const [forecast] = forecastsOf([account('one', [90, 80], { reset_at_primary: over })], NOW);
  expect(forecast?.windows.map(({ window }) => window.name)).toEqual(['Secondary']);
});

test('the timeline begins now and ends in a week', () => {
  expect([placeOf(-HOUR), placeOf(0), placeOf(168 * HOUR), placeOf(400 * HOUR)]).toEqual([0, 0, 100, 100]);
  expect(placeOf(5 * HOUR)).toBeGreaterThan(20);
});
