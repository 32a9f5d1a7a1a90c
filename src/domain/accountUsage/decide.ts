import type { AccountId, Instant } from '../core/brands.ts';
import type { Decider } from '../core/decider.ts';
import { type AccountUsageEvent, AccountUsageObserved, type UsageSample, type UsageWindow } from './events.ts';
import { type AccountUsage, evolve, initialState } from './state.ts';

/** Interval after which an unchanged sample is recorded, so that charts have points. */
const MAX_SAMPLE_INTERVAL_MS = 15 * 60_000;
/** Reset times that the provider gives as a delay vary by the duration of its response. */
const SAME_RESET_MS = 10_000;

export interface ObserveUsage {
  readonly type: 'ObserveUsage';
  readonly accountId: AccountId;
  readonly sample: UsageSample;
}

/** Usage from the headers of a response; a window that they do not name stays unchanged. */
export interface LearnUsage {
  readonly type: 'LearnUsage';
  readonly accountId: AccountId;
  readonly windows: LearnedWindows;
}

export interface LearnedWindows {
  readonly primary: UsageWindow | null;
  readonly secondary: UsageWindow | null;
}

/** Records only samples that differ from the last one: polling every minute would fill the log with repeats. */
export function decide(
  command: ObserveUsage | LearnUsage,
  usage: AccountUsage,
  { now }: { readonly now: Instant },
): AccountUsageEvent[] {
  const { accountId } = command;
  const sample = command.type === 'ObserveUsage' ? command.sample : mergeLearned(command.windows, usage);
  const isRecorded = command.type === 'ObserveUsage' ? isWorthRecording(sample, usage, now) : isChange(sample, usage);
  return isRecorded ? [AccountUsageObserved({ accountId, ...sample })] : [];
}

/**
 * Responses can overtake each other, so less usage of the same window, or usage of an earlier window, is outdated and
 * ignored. For the same reason a response never lifts a limit; only a poll does.
 */
function mergeLearned({ primary, secondary }: LearnedWindows, { sample, limited }: AccountUsage): UsageSample {
  const known = sample ?? { primary: null, secondary: null, credits: null };
  const next = { ...known, primary: later(known.primary, primary), secondary: later(known.secondary, secondary) };
  return limited && hasRoom(next) ? known : next;
}

function later(known: UsageWindow | null, seen: UsageWindow | null): UsageWindow | null {
  if (known === null || seen === null) return seen ?? known;
  const next = { ...seen, windowMinutes: seen.windowMinutes ?? known.windowMinutes };
  if (seen.resetAt === null || known.resetAt === null) return seen.usedPercent < known.usedPercent ? known : next;
  const laterByMs = seen.resetAt - known.resetAt;
  const isSame = Math.abs(laterByMs) <= SAME_RESET_MS;
  return isSame ? (seen.usedPercent < known.usedPercent ? known : next) : laterByMs > 0 ? next : known;
}

function isWorthRecording(sample: UsageSample, usage: AccountUsage, now: Instant): boolean {
  const { observedAt, limited } = usage;
  if (observedAt === undefined || now - observedAt >= MAX_SAMPLE_INTERVAL_MS) return true;
  // `early-reset`: the provider lifted a limit that a response had reported. The same sample now makes the account available.
  if (limited && hasRoom(sample)) return true;
  return isChange(sample, usage);
}

function isChange(sample: UsageSample, { sample: last }: AccountUsage): boolean {
  if (!last) return true;
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
  // The reset time of an unused window moves with each response.
  return a.usedPercent === 0 || Math.abs(a.resetAt - b.resetAt) <= SAME_RESET_MS;
}

const isSameCredits = (a: UsageSample['credits'], b: UsageSample['credits']): boolean =>
  a === null || b === null
    ? a === b
    : a.hasCredits === b.hasCredits && a.isUnlimited === b.isUnlimited && a.balance === b.balance;

export const accountUsage: Decider<AccountUsage, ObserveUsage | LearnUsage, AccountUsageEvent> = {
  decide,
  evolve,
  initialState,
};
