import type { LimitRule } from '../apiKey/events.ts';
import { type Instant, instant } from '../core/brands.ts';

const DAY_MS = 86_400_000;

/** One stretch of a rule's time; usage of different windows is never added up. */
export interface LimitWindowSpan {
  /** Counts windows; equal numbers mean the same window of a rule. */
  readonly index: number;
  readonly resetAt: Instant;
}

/**
 * The window of `rule` that holds `at`. Daily and weekly ones roll from the rule's creation, monthly ones begin on the
 * 1st at 00:00 UTC (docs/decisions/0025-limit-windows-and-units.md). Before the creation the index is negative.
 */
export function windowAt(rule: Rule, at: Instant): LimitWindowSpan {
  const index = windowIndexAt(rule, at);
  if (rule.limitWindow === 'monthly') {
    const date = new Date(at);
    return { index, resetAt: instant(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)) };
  }
  const nth = Math.floor((at - rule.createdAt) / lengthOf(rule));
  return { index, resetAt: instant(rule.createdAt + (nth + 1) * lengthOf(rule)) };
}

type Rule = Pick<LimitRule, 'limitWindow' | 'createdAt'>;

/** The index alone: each request asks for it a dozen times. */
export function windowIndexAt(rule: Rule, at: Instant): number {
  if (rule.limitWindow !== 'monthly') return Math.floor((at - rule.createdAt) / lengthOf(rule));
  return at < rule.createdAt ? -1 : monthOf(at);
}

const lengthOf = ({ limitWindow }: Rule): number => (limitWindow === 'daily' ? DAY_MS : 7 * DAY_MS);

const DAYS_IN_400_YEARS = 146_097;
/** From 0000-03-01, where a year that begins in March has its leap day at its end. */
const DAYS_TO_1970 = 719_468;

/**
 * Months since the year 0, in UTC, without the `Date` that costs ten times as much: the days of the Gregorian calendar
 * repeat every 400 years, and from March on its months have 153 days in five.
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
