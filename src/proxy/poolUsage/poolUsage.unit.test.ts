import { expect, test } from 'vitest';
import {
  accountId,
  earlier,
  HOUR,
  importedAccount,
  later,
  type NOW,
  recorded,
  usageSample,
  usageWindow,
} from '../../../test/support/specification.ts';
import { AccountImported } from '../../domain/account/events.ts';
import * as account from '../../domain/account/state.ts';
import type { UsageSample, UsageWindow } from '../../domain/accountUsage/events.ts';
import type { AccountUsage } from '../../domain/accountUsage/state.ts';
import { computePoolUsage } from './poolUsage.ts';

interface Member {
  plan?: string;
  status?: account.Account['status'];
  sample?: UsageSample;
}

function pool(...members: Member[]) {
  const accounts = new Map<ReturnType<typeof accountId>, account.Account>();
  const usage = new Map<ReturnType<typeof accountId>, AccountUsage>();
  for (const [index, { plan = 'plus', status = 'active', sample }] of members.entries()) {
    const id = accountId(index);
    const imported = AccountImported(importedAccount({ accountId: id, planType: plan }));
    accounts.set(id, { ...(account.evolve(undefined, recorded(imported)) as account.Account), status });
    if (sample) usage.set(id, { sample, observedAt: earlier(HOUR), limited: undefined });
  }
  return computePoolUsage({ accounts, usage });
}

const used = (primary: number, secondary: number) => usageSample(usageWindow(primary), usageWindow(secondary));
const long = (usedPercent: number, windowMinutes: number | null): UsageWindow => ({
  usedPercent,
  resetAt: null,
  windowMinutes,
});

test('is empty without accounts', () =>
  expect(pool()).toEqual({ planType: 'guest', primary: null, secondary: null, credits: null }));

test('rounds down the mean of accounts of one plan', () =>
  expect(pool({ sample: used(10, 0) }, { sample: used(21, 100) })).toMatchObject({
    primary: { usedPercent: 15 },
    secondary: { usedPercent: 50 },
  }));

test('weights plans by their credits: 225 half used and 1500 unused are 6 percent', () =>
  expect(pool({ sample: used(50, 0) }, { plan: 'pro', sample: used(0, 0) }).primary?.usedPercent).toBe(6));

test('weights plans without known credits equally', () =>
  expect(pool({ plan: 'x', sample: used(30, 0) }, { plan: 'y', sample: used(50, 0) }).primary?.usedPercent).toBe(40));

test('limits usage to 100 percent', () => expect(pool({ sample: used(140, 0) }).primary?.usedPercent).toBe(100));

test('ignores paused and deactivated accounts, and those without a sample', () =>
  expect(
    pool({ sample: used(20, 0) }, { status: 'paused', sample: used(90, 0) }, { status: 'deactivated' }, {}).primary
      ?.usedPercent,
  ).toBe(20));

test('ignores a weekly-only plan in the primary window', () => {
  const weekly = usageSample(null, usageWindow(80));
  expect(pool({ plan: 'free', sample: weekly })).toMatchObject({ primary: null, secondary: { usedPercent: 80 } });
  expect(pool({ plan: 'free', sample: weekly }, { sample: used(10, 0) }).primary?.usedPercent).toBe(10);
});

test('resets when the first account does', () => {
  const sample = (resetAt: typeof NOW | null) => usageSample(usageWindow(1, resetAt));
  const [soon, late] = [later(HOUR), later(2 * HOUR)];
  expect(pool({ sample: sample(late) }, { sample: sample(null) }, { sample: sample(soon) }).primary?.resetAt).toBe(
    soon,
  );
  expect(pool({ sample: sample(null) }).primary?.resetAt).toBeNull();
});

test.each([
  [[300, 300, null], 300],
  [[300, 1_440], 1_440],
  [[300, 600], 1_440],
  [[null], 1_440],
])('combines windows of %j minutes into one of %i', (lengths, expected) =>
  expect(pool(...lengths.map((minutes) => ({ sample: usageSample(long(1, minutes)) }))).primary?.windowMinutes).toBe(
    expected,
  ),
);

test.each([
  [['plus', 'pro', 'free'], 'pro'],
  [['zeta', 'free'], 'free'],
  [['zeta', 'alpha'], 'alpha'],
])('shows for the plans %j %s', (plans, best) => expect(pool(...plans.map((plan) => ({ plan }))).planType).toBe(best));

test('adds up credits, and omits them when no account has any', () => {
  const credits = (hasCredits: boolean, isUnlimited: boolean, balance: string | null): Member => ({
    sample: { ...used(0, 0), credits: { hasCredits, isUnlimited, balance } },
  });
  expect(pool(credits(false, false, '0'), credits(false, false, null)).credits).toBeNull();
  expect(pool(credits(true, false, '1.5'), credits(true, false, '2'), credits(false, false, '9')).credits).toEqual({
    isUnlimited: false,
    balance: 3.5,
  });
  expect(pool(credits(true, false, '1'), credits(false, true, null)).credits).toEqual({
    isUnlimited: true,
    balance: 1,
  });
});
