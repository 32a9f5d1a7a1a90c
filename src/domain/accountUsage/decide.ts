import type { AccountId, Instant } from '../brands.ts';
import type { Decider } from '../decider.ts';
import { type AccountUsageEvent, AccountUsageObserved, type UsageSample, type UsageWindow } from './events.ts';
import { type AccountUsage, evolve, initialState } from './state.ts';

/** A sample is kept at least so often, so that charts have points while nothing happens. */
const KEEP_EVERY_MS = 15 * 60_000;
/** A reset time that is given as a delay moves by the time the answer took. */
const SAME_RESET_MS = 10_000;

export interface ObserveUsage {
  readonly type: 'ObserveUsage';
  readonly accountId: AccountId;
  readonly sample: UsageSample;
}

/** A sample that says nothing new is not kept: asking every minute would fill the log with what it knows. */
export function decide(
  { accountId, sample }: ObserveUsage,
  usage: AccountUsage,
  { now }: { readonly now: Instant },
): AccountUsageEvent[] {
  return isNews(sample, usage, now) ? [AccountUsageObserved({ accountId, ...sample })] : [];
}

function isNews(sample: UsageSample, { sample: last, observedAt, limited }: AccountUsage, now: Instant): boolean {
  if (!last || observedAt === undefined || now - observedAt >= KEEP_EVERY_MS) return true;
  // The provider took back a limit that it had pronounced on a request (F15): the same sample now opens the account.
  if (limited && hasRoom(sample)) return true;
  return (
    !isSameWindow(sample.primary, last.primary) ||
    !isSameWindow(sample.secondary, last.secondary) ||
    !isSameCredits(sample.credits, last.credits)
  );
}

function hasRoom({ primary, secondary }: UsageSample): boolean {
  const windows = [primary, secondary].filter((window) => window !== null);
  return windows.length > 0 && windows.every(({ usedPercent }) => usedPercent < 100);
}

function isSameWindow(a: UsageWindow | null, b: UsageWindow | null): boolean {
  if (a === null || b === null) return a === b;
  return a.usedPercent === b.usedPercent && a.windowMinutes === b.windowMinutes && isSameReset(a, b);
}

function isSameReset(a: UsageWindow, b: UsageWindow): boolean {
  if (a.resetAt === null || b.resetAt === null) return a.resetAt === b.resetAt;
  // A window of which nothing is used begins anew with each answer.
  return a.usedPercent === 0 || Math.abs(a.resetAt - b.resetAt) <= SAME_RESET_MS;
}

const isSameCredits = (a: UsageSample['credits'], b: UsageSample['credits']): boolean =>
  a === null || b === null
    ? a === b
    : a.hasCredits === b.hasCredits && a.isUnlimited === b.isUnlimited && a.balance === b.balance;

export const accountUsage: Decider<AccountUsage, ObserveUsage, AccountUsageEvent> = { decide, evolve, initialState };
