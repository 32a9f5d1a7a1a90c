import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { HOUR, later, NOW } from '../../../test/support/specification.ts';
import { AccountUsageObserved } from '../../domain/accountUsage/events.ts';
import { readUsage } from './usagePayload.ts';

const seconds = (ms: number) => Math.floor(ms / 1_000);
const window = (changes: object = {}) => ({
  used_percent: 12,
  limit_window_seconds: 18_000,
  reset_after_seconds: 3_600,
  reset_at: seconds(later(HOUR)),
  ...changes,
});
const payload = (primary: unknown, secondary: unknown = null, rest: object = {}) => ({
  plan_type: 'plus',
  rate_limit: { allowed: true, limit_reached: false, primary_window: primary, secondary_window: secondary },
  credits: null,
  ...rest,
});
const primaryOf = (body: unknown) => readUsage(body, NOW)?.sample.primary;
const without = (name: string) => window({ [name]: undefined });

test('reads both windows, credits and plan', () =>
  expect(
    readUsage(
      payload(window(), window({ used_percent: 40, limit_window_seconds: 604_800 }), {
        credits: { has_credits: true, unlimited: false, balance: '12.50' },
      }),
      NOW,
    ),
  ).toEqual({
    planType: 'plus',
    sample: {
      primary: { usedPercent: 12, resetAt: later(HOUR), windowMinutes: 300 },
      secondary: { usedPercent: 40, resetAt: later(HOUR), windowMinutes: 10_080 },
      credits: { hasCredits: true, isUnlimited: false, balance: '12.50' },
    },
  }));

describe('a percentage is rounded down to a whole number', () => {
  test.each([
    [0, 0],
    [37.5, 37],
    [99.9, 99],
    [100, 100],
    [100.4, 100],
    [140, 140],
    ['37.5', 37],
    [-3, 0],
  ])('%j becomes %j', (given, expected) =>
    expect(primaryOf(payload(window({ used_percent: given })))?.usedPercent).toBe(expected),
  );

  test.each([null, undefined, '', 'much', {}, true, Number.NaN])(
    '%j is no percentage, so there is no window',
    (given) => expect(primaryOf(payload(window({ used_percent: given })))).toBeNull(),
  );
});

describe('a reset', () => {
  test('is the given time', () =>
    expect(primaryOf(payload(window({ reset_at: seconds(later(2 * HOUR)) })))?.resetAt).toBe(later(2 * HOUR)));
  test('is computed from the delay without a time', () =>
    expect(primaryOf(payload(without('reset_at')))?.resetAt).toBe(later(HOUR)));
  test('is unknown without either', () =>
    expect(primaryOf(payload({ used_percent: 1, limit_window_seconds: 60 }))?.resetAt).toBeNull());
  test('may be in the past', () =>
    expect(primaryOf(payload(window({ reset_at: seconds(later(-HOUR)) })))?.resetAt).toBe(later(-HOUR)));
  test('is now for a negative delay', () =>
    expect(primaryOf(payload(window({ reset_at: null, reset_after_seconds: -60 })))?.resetAt).toBe(NOW));
  test.each([0, -1, 'soon', later(HOUR), 1e300])('uses the delay instead of the invalid time %j', (given) =>
    expect(primaryOf(payload(window({ reset_at: given })))?.resetAt).toBe(later(HOUR)),
  );
});

describe('the length of a window', () => {
  test.each([
    [18_000, 300],
    [18_001, 301],
    [59, 1],
    [0, 1],
    ['18000', 300],
    [null, null],
    [1e300, null],
  ])('%j seconds are %j minutes', (given, expected) =>
    expect(primaryOf(payload(window({ limit_window_seconds: given })))?.windowMinutes).toBe(expected),
  );
});

describe('weekly-only-plan', () => {
  const weekly = window({ limit_window_seconds: 604_800 });
  test('has its window in the secondary slot', () => {
    const sample = readUsage(payload(weekly), NOW)?.sample;
    expect(sample).toMatchObject({ primary: null, secondary: { usedPercent: 12, windowMinutes: 10_080 } });
  });
  test('includes plans with a longer window', () =>
    expect(primaryOf(payload(window({ limit_window_seconds: 30 * 86_400 })))).toBeNull());
  test('excludes plans with two windows', () =>
    expect(readUsage(payload(weekly, window()), NOW)?.sample).toMatchObject({
      primary: { windowMinutes: 10_080 },
      secondary: { windowMinutes: 300 },
    }));
  test('excludes plans with a single short window', () =>
    expect(readUsage(payload(window(), null), NOW)?.sample).toMatchObject({
      primary: { windowMinutes: 300 },
      secondary: null,
    }));
});

describe('a balance of credits', () => {
  test.each([
    ['12.50', '12.50'],
    [' 0 ', '0'],
    [7, '7'],
    ['', null],
    [' ', null],
    [null, null],
    [undefined, null],
    ['plenty', null],
    [`1${'0'.repeat(100)}`, null],
    [`1.${'0'.repeat(70_000)}`, null],
    [{}, null],
  ])('%j is %j', (balance, expected) =>
    expect(
      readUsage(payload(null, null, { credits: { has_credits: true, unlimited: false, balance } }), NOW)?.sample
        .credits,
    ).toEqual({ hasCredits: true, isUnlimited: false, balance: expected }),
  );

  test('is null without credits', () => {
    for (const credits of [null, undefined, 'none', []])
      expect(readUsage(payload(window(), null, { credits }), NOW)?.sample.credits).toBeNull();
  });
});

test('keeps the name of an unknown plan', () => {
  expect(readUsage(payload(window(), null, { plan_type: 'Quorum' }), NOW)?.planType).toBe('Quorum');
  expect(readUsage(payload(window(), null, { plan_type: 'PRO' }), NOW)?.planType).toBe('pro');
  expect(readUsage(payload(window(), null, { plan_type: ' ' }), NOW)?.planType).toBeNull();
});

test('accepts a plan without windows', () =>
  expect(readUsage({ plan_type: 'free', rate_limit: null }, NOW)).toEqual({
    planType: 'free',
    sample: { primary: null, secondary: null, credits: null },
  }));

test.each([undefined, null, 7, 'text', [], {}, { detail: 'Not today' }, { rate_limit: 'none' }])(
  '%j is no usage at all',
  (body) => expect(readUsage(body, NOW)).toBeUndefined(),
);

test('results in a valid event for any payload', () =>
  fc.assert(
    fc.property(fc.record({ ...nothingSure() }, { requiredKeys: [] }), fc.boolean(), (fields, isFirst) => {
      const usage = readUsage(isFirst ? payload(fields, null, { credits: fields }) : payload(null, fields), NOW);
      if (!usage) throw new Error('no usage');
      AccountUsageObserved.data(z).parse({ accountId: 'a', ...usage.sample });
    }),
  ));

function nothingSure() {
  const value = fc.oneof(fc.double(), fc.integer(), fc.string(), fc.boolean(), fc.constant(null));
  return {
    used_percent: fc.oneof(fc.double({ min: 0, noNaN: true }), value),
    reset_at: value,
    reset_after_seconds: value,
    limit_window_seconds: value,
    has_credits: value,
    unlimited: value,
    balance: value,
  };
}
