import { AccountUsageObserved, type UsageSample, type UsageWindow } from '../domain/accountUsage/events.ts';
import { type AccountUsage, evolve, initialState } from '../domain/accountUsage/state.ts';
import type { AccountId, Instant } from '../domain/brands.ts';
import type { Decider } from '../domain/decider.ts';
import type { EventOf } from '../domain/event.ts';
import type { Subject } from '../projecting/subjects.ts';

/** A sample is kept at least so often, so that charts have points while nothing happens. */
const KEEP_EVERY_MS = 15 * 60_000;
/** A reset time that is given as a delay moves by the time the answer took. */
const SAME_RESET_MS = 10_000;

export interface ObserveUsage {
  readonly type: 'ObserveUsage';
  readonly accountId: AccountId;
  readonly sample: UsageSample;
}

type UsageObserved = EventOf<typeof AccountUsageObserved>;

/** A sample that says nothing new is not kept: asking every minute would fill the log with what it knows. */
export function decide(
  { accountId, sample }: ObserveUsage,
  usage: AccountUsage,
  { now }: { readonly now: Instant },
): UsageObserved[] {
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

const decider: Decider<AccountUsage, ObserveUsage, UsageObserved> = { decide, evolve, initialState };

/** The samples of one account in one month of UTC. */
export interface UsageStream {
  readonly accountId: AccountId;
  readonly yyyymm: string;
}

export const monthOf = (time: Instant): string => new Date(time).toISOString().slice(0, 7).replace('-', '');

/** Samples change the fold like everything else: by a command. A stream holds one month, a state goes on. */
export const observedUsage: Subject<UsageStream, AccountUsage, ObserveUsage, UsageObserved> = {
  decider,
  streamOf: ({ accountId, yyyymm }) => `accountUsage-${accountId}_${yyyymm}`,
  stateIn: (hot, { accountId }) => hot.usage.get(accountId) ?? initialState,
};
