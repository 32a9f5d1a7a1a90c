import { describe, expect, test } from 'vitest';
import {
  accountId,
  at,
  earlier,
  HOUR,
  later,
  MINUTE,
  NOW,
  recorded,
  specification,
  usageSample,
  usageWindow,
} from '../../../test/support/specification.ts';
import { monthOf, subjects } from '../../state/fold/subjects.ts';
import { instant } from '../core/brands.ts';
import { accountUsage, decide } from './decide.ts';
import { AccountUsageObserved, type UsageSample, type UsageWindow } from './events.ts';
import { evolve } from './state.ts';

const usage = specification(accountUsage);
const id = accountId(1);
const observe = (sample: UsageSample) => ({ type: 'ObserveUsage', accountId: id, sample }) as const;
const observed = (sample: UsageSample) => AccountUsageObserved({ accountId: id, ...sample });
const aMinuteAgo = (sample: UsageSample) => usage.given(at(earlier(MINUTE), observed(sample)));

const credits = { hasCredits: true, isUnlimited: false, balance: '5' };
const known = { ...usageSample(usageWindow(40), usageWindow(10)), credits };

test('records the first sample', () => usage.when(observe(known)).then(observed(known)));

test('does not record the same sample a minute later', () => aMinuteAgo(known).when(observe(known)).then());

test('records an unchanged sample after 15 minutes', () => {
  usage
    .given(at(earlier(15 * MINUTE - 1), observed(known)))
    .when(observe(known))
    .then();
  usage
    .given(at(earlier(15 * MINUTE), observed(known)))
    .when(observe(known))
    .then(observed(known));
});

describe('records every change', () => {
  const { primary, secondary } = known;
  if (!primary || !secondary) throw new Error('two windows');
  test.each<[string, UsageSample]>([
    ['a percentage', { ...known, primary: { ...primary, usedPercent: 41 } }],
    ['a reset', { ...known, primary: { ...primary, resetAt: later(9 * HOUR) } }],
    ['a reset that is no longer known', { ...known, secondary: { ...secondary, resetAt: null } }],
    ['the length of a window', { ...known, secondary: { ...secondary, windowMinutes: 7 } }],
    ['a window that went', { ...known, secondary: null }],
    ['the balance', { ...known, credits: { ...credits, balance: '4' } }],
    ['credits without end', { ...known, credits: { ...credits, isUnlimited: true } }],
    ['credits that are used up', { ...known, credits: { ...credits, hasCredits: false } }],
    ['credits that went', { ...known, credits: null }],
  ])('%s', (_what, sample) => aMinuteAgo(known).when(observe(sample)).then(observed(sample)));
});

test('ignores reset times that vary by seconds', () => {
  const { primary } = known;
  if (!primary?.resetAt) throw new Error('a reset');
  const wavering = { ...known, primary: { ...primary, resetAt: later(5_000, primary.resetAt) } };
  aMinuteAgo(known).when(observe(wavering)).then();
});

test('ignores the moving reset time of an unused window', () => {
  const unused = usageSample(usageWindow(0));
  const { primary } = unused;
  if (!primary?.resetAt) throw new Error('a reset');
  const moved = { ...unused, primary: { ...primary, resetAt: later(MINUTE, primary.resetAt) } };
  aMinuteAgo(unused).when(observe(moved)).then();
});

describe('early-reset: while the provider reports a limit', () => {
  const limited = { since: earlier(MINUTE / 2), until: later(HOUR), code: 'usage_limit_reached' };
  const limitedWith = (sample: UsageSample) => ({ sample, observedAt: earlier(MINUTE), limited });
  const decided = (sample: UsageSample, before: UsageSample) =>
    decide(observe(sample), limitedWith(before), { now: NOW });

  test('records an unchanged sample below 100 %, which lifts the limit', () => {
    const [event] = decided(known, known);
    expect(event).toEqual(observed(known));
    const next = evolve(limitedWith(known), recorded(at(NOW, observed(known))));
    expect(next.limited).toBeUndefined();
  });

  test('does not record an unchanged sample at 100 %', () => {
    const spent = usageSample(usageWindow(100), usageWindow(10));
    expect(decided(spent, spent)).toEqual([]);
  });

  test('does not record an unchanged sample without windows', () => {
    const empty = { primary: null, secondary: null, credits: null };
    expect(decided(empty, empty)).toEqual([]);
  });
});

test('each month has its own stream', () => {
  expect(monthOf(instant(Date.UTC(2026, 0, 31, 23, 59)))).toBe('202601');
  expect(monthOf(instant(Date.UTC(2026, 1, 1)))).toBe('202602');
  expect(subjects.accountUsage.streamOf({ accountId: id, yyyymm: '202602' })).toBe('accountUsage-account_1_202602');
});

describe('usage in the headers of a response', () => {
  const learn = (primary: UsageWindow | null, secondary: UsageWindow | null = null) =>
    ({ type: 'LearnUsage', accountId: id, windows: { primary, secondary } }) as const;
  const { primary, secondary } = known;

  test('is recorded when it changes something, and keeps windows that it does not name', () => {
    aMinuteAgo(known)
      .when(learn(usageWindow(41)))
      .then(observed({ ...known, primary: usageWindow(41) }));
    aMinuteAgo(known)
      .when(learn(null, usageWindow(11)))
      .then(observed({ ...known, secondary: usageWindow(11) }));
  });

  test('can be the first sample of an account', () =>
    usage.when(learn(usageWindow(3))).then(observed(usageSample(usageWindow(3)))));

  test('is not recorded when it changes nothing', () =>
    usage
      .given(at(earlier(HOUR), observed(known)))
      .when(learn(primary, secondary))
      .then());

  test('is ignored when it shows less usage of the same window', () =>
    aMinuteAgo(known)
      .when(learn(usageWindow(39)))
      .then());

  test('counts for the next window, and is ignored for the previous one', () => {
    const next = usageWindow(2, later(6 * HOUR));
    aMinuteAgo(known)
      .when(learn(next))
      .then(observed({ ...known, primary: next }));
    aMinuteAgo(known)
      .when(learn(usageWindow(99, later(-4 * HOUR))))
      .then();
  });

  test('keeps the known length of a window', () => {
    const long = { ...usageWindow(40), windowMinutes: 300 };
    usage
      .given(at(earlier(MINUTE), observed(usageSample(long))))
      .when(learn(usageWindow(50)))
      .then(observed(usageSample({ ...usageWindow(50), windowMinutes: 300 })));
  });

  test('never lifts a limit, but may report one', () => {
    const limited = { since: earlier(MINUTE), until: later(HOUR), code: 'usage_limit_reached' };
    const state = { sample: known, observedAt: earlier(HOUR), limited };
    expect(decide(learn(usageWindow(60)), state, { now: NOW })).toEqual([]);
    const full = { ...known, primary: usageWindow(100) };
    expect(decide(learn(usageWindow(100)), state, { now: NOW })).toEqual([observed(full)]);
  });

  test.each([
    [40, 41, 41],
    [41, 40, 41],
  ])('of windows without a reset only more use counts: %i, then %i', (first, second, last) => {
    const state = usage
      .given(at(earlier(MINUTE), observed(usageSample(usageWindow(first, null)))))
      .when(learn(usageWindow(second, null)))
      .state();
    expect(state.sample?.primary?.usedPercent).toBe(last);
  });
});
