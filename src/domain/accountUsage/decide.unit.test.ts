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
import { monthOf, subjects } from '../../projecting/subjects.ts';
import { instant } from '../brands.ts';
import { accountUsage, decide } from './decide.ts';
import { AccountUsageObserved, type UsageSample } from './events.ts';
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

describe('F15: while the provider has pronounced a limit', () => {
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
