import { type Instant, instant } from '../core/brands.ts';

const DAY_MS = 86_400_000;

/** One window of a rule; usage of different windows is never added up. */
export interface LimitWindowSpan {
  /** Counts windows; equal numbers mean the same window of a rule. */
  readonly index: number;
  readonly resetAt: Instant;
}

interface LimitWindowDefinition {
  /** Number of the window that contains `at`; negative before the rule was created. Called a dozen times per request. */
  readonly indexAt: (createdAt: Instant, at: Instant) => number;
  /** End of the window that contains `at`. */
  readonly resetAt: (createdAt: Instant, at: Instant) => Instant;
}

const rolling = (lengthMs: number): LimitWindowDefinition => ({
  indexAt: (createdAt, at) => Math.floor((at - createdAt) / lengthMs),
  resetAt: (createdAt, at) => instant(createdAt + (Math.floor((at - createdAt) / lengthMs) + 1) * lengthMs),
});

/**
 * Every window of limits: those that roll from the creation of the rule, and calendar months, which begin on the 1st at
 * 00:00 UTC (docs/decisions/0025-limit-windows-and-units.md). Names are stored in events: they never change.
 */
export const limitWindows = {
  daily: rolling(DAY_MS),
  weekly: rolling(7 * DAY_MS),
  monthly: {
    indexAt: (createdAt, at) => (at < createdAt ? -1 : monthOf(at)),
    resetAt(_createdAt, at) {
      const date = new Date(at);
      return instant(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1));
    },
  },
} as const satisfies Record<string, LimitWindowDefinition>;

export type LimitWindow = keyof typeof limitWindows;

export const limitWindowNames = Object.keys(limitWindows) as [LimitWindow, ...LimitWindow[]];

interface RuleWindow {
  readonly limitWindow: LimitWindow;
  readonly createdAt: Instant;
}

/** The window of `rule` that contains `at`. Before the rule was created the index is negative. */
export const windowAt = ({ limitWindow, createdAt }: RuleWindow, at: Instant): LimitWindowSpan => ({
  index: limitWindows[limitWindow].indexAt(createdAt, at),
  resetAt: limitWindows[limitWindow].resetAt(createdAt, at),
});

/** The index of `windowAt` alone, for the hot path. */
export const windowIndexAt = ({ limitWindow, createdAt }: RuleWindow, at: Instant): number =>
  limitWindows[limitWindow].indexAt(createdAt, at);

const DAYS_IN_400_YEARS = 146_097;
/** From 0000-03-01, where a year that begins in March has its leap day at its end. */
const DAYS_TO_1970 = 719_468;

/**
 * Months since the year 0, in UTC, without a `Date`, which costs ten times as much: the days of the Gregorian calendar
 * repeat every 400 years, and from March on five months have 153 days.
 */
function monthOf(at: Instant): number {
  const day = Math.floor(at / DAY_MS) + DAYS_TO_1970;
  const era = Math.floor(day / DAYS_IN_400_YEARS);
  const ofEra = day - era * DAYS_IN_400_YEARS;
  const leaps = Math.floor(ofEra / 1_460) - Math.floor(ofEra / 36_524) + Math.floor(ofEra / 146_096);
  const year = Math.floor((ofEra - leaps) / 365);
  const ofYear = ofEra - (365 * year + Math.floor(year / 4) - Math.floor(year / 100));
  const fromMarch = Math.floor((5 * ofYear + 2) / 153);
  return (era * 400 + year) * 12 + fromMarch + 2;
}
