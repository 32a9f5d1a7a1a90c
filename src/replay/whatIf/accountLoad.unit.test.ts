import { expect, test } from 'vitest';
import { accountId, HOUR, later, MINUTE, NOW, usageSample, usageWindow } from '../../../test/support/specification.ts';
import type { AccountUsage } from '../../domain/accountUsage/state.ts';
import type { AccountId } from '../../domain/core/brands.ts';
import { AccountLoad } from './accountLoad.ts';

const plus = { id: accountId(1), planType: 'plus' };
const added = { id: 'plus-1' as AccountId, planType: 'plus' };
const windowOf = (usedPercent: number) => ({ usedPercent, windowMinutes: 300, credits: 225 });

const usageOf = (percent: number, limited?: AccountUsage['limited']): AccountUsage => ({
  sample: usageSample(usageWindow(percent), usageWindow(percent)),
  observedAt: NOW,
  limited,
});

/** After 1,000 tokens have cost 10 % of both windows of a plus account. */
function calibrated(): AccountLoad {
  const load = new AccountLoad(
    [{ ...added, primary: windowOf(20), secondary: { ...windowOf(0), credits: 7_560 } }],
    NOW,
  );
  load.onServed(plus.id, 1_000);
  load.onSample(plus, usageOf(0).sample, usageSample(usageWindow(10), usageWindow(10)));
  return load;
}

const percents = (usage: AccountUsage | undefined) => [
  usage?.sample?.primary?.usedPercent,
  usage?.sample?.secondary?.usedPercent,
];

test('keeps what an account reported while nothing moves', () => {
  const recorded = usageOf(40);
  expect(calibrated().usageOf(plus, recorded, NOW)).toBe(recorded);
});

test('converts tokens that move into percent by what tokens have cost', () => {
  const load = calibrated();
  load.move(plus.id, 3_000, NOW);
  expect(percents(load.usageOf(plus, usageOf(40), NOW))).toEqual([70, 70]);
  load.move(plus.id, -5_000, NOW);
  expect(percents(load.usageOf(plus, usageOf(40), NOW))).toEqual([20, 20]);
  load.move(plus.id, -50_000, NOW);
  expect(percents(load.usageOf(plus, usageOf(40), NOW))).toEqual([0, 0]);
});

test('forgets what moved when the window of the account begins again', () => {
  const load = calibrated();
  load.move(plus.id, 3_000, NOW);
  const next = usageSample(usageWindow(2, later(2 * HOUR)), usageWindow(40));
  load.onSample(plus, usageOf(40).sample, next);
  expect(percents(load.usageOf(plus, { ...usageOf(0), sample: next }, NOW))).toEqual([2, 70]);
});

test('keeps a limit that the provider reported, unless the account has served less', () => {
  const limited = { since: NOW, until: later(HOUR), code: 'usage_limit_reached' };
  const load = calibrated();
  load.move(plus.id, 100, NOW);
  expect(load.usageOf(plus, usageOf(99, limited), NOW)?.limited).toEqual(limited);
  load.move(plus.id, -200, NOW);
  expect(load.usageOf(plus, usageOf(99, limited), NOW)?.limited).toBeUndefined();
});

test('fills the windows of an added account, which begin with its first request and end by themselves', () => {
  const load = calibrated();
  expect(percents(load.usageOf(added, undefined, NOW))).toEqual([20, 0]);
  load.move(added.id, 4_000, NOW);
  expect(percents(load.usageOf(added, undefined, NOW))).toEqual([60, 40]);
  expect(load.usageOf(added, undefined, NOW)?.sample?.secondary?.resetAt).toBe(later(300 * MINUTE));
  load.move(added.id, 1_000, later(301 * MINUTE));
  expect(percents(load.usageOf(added, undefined, NOW))).toEqual([10, 10]);
});

test('moves nothing while no sample tells what a token costs', () => {
  const load = new AccountLoad([], NOW);
  load.move(plus.id, 1_000_000, NOW);
  expect(load.isCalibrated).toBe(false);
  expect(percents(load.usageOf(plus, usageOf(40), NOW))).toEqual([40, 40]);
});
