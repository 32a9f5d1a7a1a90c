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

test('the first sample is kept', () => usage.when(observe(known)).then(observed(known)));

test('the same sample a minute later is not', () => aMinuteAgo(known).when(observe(known)).then());

test('the same sample is kept again after a quarter of an hour', () => {
  usage
    .given(at(earlier(15 * MINUTE - 1), observed(known)))
    .when(observe(known))
    .then();
  usage
    .given(at(earlier(15 * MINUTE), observed(known)))
    .when(observe(known))
    .then(observed(known));
});

describe('whatever changes is news', () => {
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

test('a reset that wavers by the seconds an answer takes is no news', () => {
  const { primary } = known;
  if (!primary?.resetAt) throw new Error('a reset');
  const wavering = { ...known, primary: { ...primary, resetAt: later(5_000, primary.resetAt) } };
  aMinuteAgo(known).when(observe(wavering)).then();
});

test('a window of which nothing is used begins anew with each answer, which is no news', () => {
  const unused = usageSample(usageWindow(0));
  const { primary } = unused;
  if (!primary?.resetAt) throw new Error('a reset');
  const moved = { ...unused, primary: { ...primary, resetAt: later(MINUTE, primary.resetAt) } };
  aMinuteAgo(unused).when(observe(moved)).then();
});

describe('early-reset: while the provider has pronounced a limit', () => {
  const limited = { since: earlier(MINUTE / 2), until: later(HOUR), code: 'usage_limit_reached' };
  const limitedWith = (sample: UsageSample) => ({ sample, observedAt: earlier(MINUTE), limited });
  const decided = (sample: UsageSample, before: UsageSample) =>
    decide(observe(sample), limitedWith(before), { now: NOW });

  test('an unchanged sample that shows room is news: it opens the account', () => {
    const [event] = decided(known, known);
    expect(event).toEqual(observed(known));
    const next = evolve(limitedWith(known), recorded(at(NOW, observed(known))));
    expect(next.limited).toBeUndefined();
  });

  test('an unchanged sample that shows none is not', () => {
    const spent = usageSample(usageWindow(100), usageWindow(10));
    expect(decided(spent, spent)).toEqual([]);
  });

  test('an unchanged sample without windows says nothing of it', () => {
    const empty = { primary: null, secondary: null, credits: null };
    expect(decided(empty, empty)).toEqual([]);
  });
});

test('a month has a stream of its own', () => {
  expect(monthOf(instant(Date.UTC(2026, 0, 31, 23, 59)))).toBe('202601');
  expect(monthOf(instant(Date.UTC(2026, 1, 1)))).toBe('202602');
  expect(subjects.accountUsage.streamOf({ accountId: id, yyyymm: '202602' })).toBe('accountUsage-account_1_202602');
});

describe('what an answer says in passing', () => {
  const learn = (primary: UsageWindow | null, secondary: UsageWindow | null = null) =>
    ({ type: 'LearnUsage', accountId: id, windows: { primary, secondary } }) as const;
  const { primary, secondary } = known;

  test('is kept when it says something new, and leaves what it does not name as it was', () => {
    aMinuteAgo(known)
      .when(learn(usageWindow(41)))
      .then(observed({ ...known, primary: usageWindow(41) }));
    aMinuteAgo(known)
      .when(learn(null, usageWindow(11)))
      .then(observed({ ...known, secondary: usageWindow(11) }));
  });

  test('is the first sample of an account that nobody has asked for yet', () =>
    usage.when(learn(usageWindow(3))).then(observed(usageSample(usageWindow(3)))));

  test('is not kept when it says what is known, however long ago that was', () =>
    usage
      .given(at(earlier(HOUR), observed(known)))
      .when(learn(primary, secondary))
      .then());

  test('of less use in the same window is a late answer', () =>
    aMinuteAgo(known)
      .when(learn(usageWindow(39)))
      .then());

  test('of another window counts if it is the next one, and is late if it is the last one', () => {
    const next = usageWindow(2, later(6 * HOUR));
    aMinuteAgo(known)
      .when(learn(next))
      .then(observed({ ...known, primary: next }));
    aMinuteAgo(known)
      .when(learn(usageWindow(99, later(-4 * HOUR))))
      .then();
  });

  test('keeps the length of the window when it does not say it', () => {
    const long = { ...usageWindow(40), windowMinutes: 300 };
    usage
      .given(at(earlier(MINUTE), observed(usageSample(long))))
      .when(learn(usageWindow(50)))
      .then(observed(usageSample({ ...usageWindow(50), windowMinutes: 300 })));
  });

  test('takes back no limit, and may say that one has been reached', () => {
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
