import { type Instant, instant } from '../brands.ts';
import type { LimitRule } from './events.ts';

const DAY_MS = 86_400_000;

/** One stretch of a rule's time; usage of different windows is never added up. */
export interface LimitWindowSpan {
  /** Counts windows; equal numbers mean the same window of a rule. */
  readonly index: number;
  readonly resetAt: Instant;
}

/**
 * The window of `rule` that holds `at`. Daily and weekly ones roll from the rule's creation, monthly ones begin on the
 * 1st at 00:00 UTC (specification, "Limit rule"; design.md section 5). Before the creation the index is negative.
 */
export function windowAt(rule: Pick<LimitRule, 'limitWindow' | 'createdAt'>, at: Instant): LimitWindowSpan {
  if (rule.limitWindow === 'monthly') {
    const date = new Date(at);
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
    const isBeforeRule = at < rule.createdAt;
    return { index: isBeforeRule ? -1 : year * 12 + month, resetAt: instant(Date.UTC(year, month + 1, 1)) };
  }
  const length = rule.limitWindow === 'daily' ? DAY_MS : 7 * DAY_MS;
  const index = Math.floor((at - rule.createdAt) / length);
  return { index, resetAt: instant(rule.createdAt + (index + 1) * length) };
}
