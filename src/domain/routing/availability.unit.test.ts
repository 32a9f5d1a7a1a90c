import { describe, expect, test } from 'vitest';
import {
  accountId,
  at,
  DAY,
  earlier,
  HOUR,
  importedAccount,
  later,
  MINUTE,
  NOW,
  recorded,
  usageSample,
  usageWindow,
} from '../../../test/support/specification.ts';
import { AccountImported } from '../account/events.ts';
import type { Account } from '../account/state.ts';
import * as account from '../account/state.ts';
import { AccountUsageObserved, type UsageSample } from '../accountUsage/events.ts';
import * as usage from '../accountUsage/state.ts';
import { availabilityOf } from './availability.ts';

const active = account.evolve(undefined, recorded(AccountImported(importedAccount()))) as Account;
const sampled = (sample: UsageSample, observedAt = earlier(MINUTE)) =>
  usage.evolve(
    usage.initialState,
    recorded(at(observedAt, AccountUsageObserved({ accountId: accountId(1), ...sample }))),
  );
const limited = (code: string, until = later(HOUR), before = usage.initialState) =>
  usage.evolve(before, { type: 'LimitReported', since: earlier(2 * MINUTE), until, code });
const full = (resetAt: ReturnType<typeof later> | null = later(HOUR)) => usageWindow(100, resetAt);
const of = (known: usage.AccountUsage | undefined, coolDown?: Parameters<typeof availabilityOf>[2], now = NOW) =>
  availabilityOf(active, known, coolDown, now);

test('an active account without usage data is available', () =>
  expect(of(undefined)).toEqual({ state: 'available', reason: null, until: null }));

test('an account with room in both windows is available', () =>
  expect(of(sampled(usageSample(usageWindow(99), usageWindow(0)))).state).toBe('available'));

test('paused and deactivated do not end by time and outrank all other states', () => {
  const spent = limited('rate_limit_exceeded', later(HOUR), sampled(usageSample(full(), full())));
  const cooling = { since: NOW, until: later(MINUTE), cause: 'timeout', failures: 1 };
  expect(availabilityOf({ ...active, status: 'paused' }, spent, cooling, NOW)).toEqual({
    state: 'paused',
    reason: 'paused by an operator',
    until: null,
  });
  const deactivated: Account = { ...active, status: 'deactivated', deactivationReason: 'sign in again' };
  expect(availabilityOf(deactivated, spent, cooling, NOW)).toEqual({
    state: 'deactivated',
    reason: 'sign in again',
    until: null,
  });
});

describe('used-up windows', () => {
  test('primary: rate limited until its reset', () =>
    expect(of(sampled(usageSample(full(), usageWindow(50))))).toEqual({
      state: 'rate_limited',
      reason: 'the primary window is used up',
      until: later(HOUR),
    }));

  test('secondary: quota exceeded until its reset', () =>
    expect(of(sampled(usageSample(usageWindow(50), full(later(3 * DAY)))))).toEqual({
      state: 'quota_exceeded',
      reason: 'the secondary window is used up',
      until: later(3 * DAY),
    }));

  test('treats more than 100 % as used up', () =>
    expect(of(sampled(usageSample(usageWindow(130)))).state).toBe('rate_limited'));

  test('both: quota exceeded, until the later of the two resets', () => {
    expect(of(sampled(usageSample(full(later(HOUR)), full(later(DAY)))))).toMatchObject({
      state: 'quota_exceeded',
      until: later(DAY),
    });
    expect(of(sampled(usageSample(full(later(DAY)), full(later(HOUR)))))).toMatchObject({
      state: 'quota_exceeded',
      until: later(DAY),
    });
  });

  test('the account is available from the millisecond of its reset', () => {
    const known = sampled(usageSample(full(later(HOUR))));
    expect(of(known, undefined, later(HOUR - 1)).state).toBe('rate_limited');
    expect(of(known, undefined, later(HOUR)).state).toBe('available');
  });

  test('a reset of one window does not affect the other', () =>
    expect(of(sampled(usageSample(full(later(DAY)), full(earlier(1)))))).toMatchObject({
      state: 'rate_limited',
      until: later(DAY),
    }));

  test('without a reset time, the window length counts from the sample', () => {
    const since = earlier(MINUTE);
    expect(of(sampled(usageSample({ usedPercent: 100, resetAt: null, windowMinutes: 300 }), since)).until).toBe(
      later(5 * HOUR, since),
    );
    expect(of(sampled(usageSample(full(null)), since)).until).toBe(later(DAY, since));
    expect(of(sampled(usageSample(null, full(null)), since)).until).toBe(later(7 * DAY, since));
    expect(of(sampled(usageSample(full(null)), since), undefined, later(DAY, since)).state).toBe('available');
  });
});

describe('limits reported by the provider', () => {
  test('a rate limit lasts until its end', () => {
    const known = limited('usage_limit_reached');
    expect(of(known)).toEqual({
      state: 'rate_limited',
      reason: 'the provider responded with usage_limit_reached',
      until: later(HOUR),
    });
    expect(of(known, undefined, later(HOUR)).state).toBe('available');
  });

  test.each(['insufficient_quota', 'usage_not_included', 'quota_exceeded'])('%s exceeds the quota', (code) =>
    expect(of(limited(code)).state).toBe('quota_exceeded'),
  );

  test('a later sample below 100 % ends the limit early', () => {
    const known = limited('usage_limit_reached', later(7 * DAY));
    const reset = usage.evolve(
      known,
      recorded(at(NOW, AccountUsageObserved({ accountId: accountId(1), ...usageSample(usageWindow(0)) }))),
    );
    expect(of(known).state).toBe('rate_limited');
    expect(of(reset).state).toBe('available');
  });

  test('a reported limit outlasts a used-up window that ends earlier', () =>
    expect(
      of(limited('usage_limit_reached', later(DAY), sampled(usageSample(full(later(HOUR))), earlier(HOUR)))).until,
    ).toBe(later(DAY)));
});

describe('cooling', () => {
  const cooling = { since: NOW, until: later(MINUTE), cause: 'timeout', failures: 1 };

  test('an account that failed is cooling until the end of its cool-down', () => {
    expect(of(undefined, cooling)).toEqual({ state: 'cooling', reason: 'timeout', until: later(MINUTE) });
    expect(of(undefined, cooling, later(MINUTE)).state).toBe('available');
  });

  test('is over when the clock was set back to before it began', () => {
    expect(of(undefined, cooling, earlier(HOUR)).state).toBe('available');
    // Clocks of nodes differ a little.
    expect(of(undefined, cooling, earlier(2_000)).state).toBe('cooling');
  });

  test('a used-up window outranks a cool-down', () =>
    expect(of(sampled(usageSample(full())), cooling).state).toBe('rate_limited'));
});
