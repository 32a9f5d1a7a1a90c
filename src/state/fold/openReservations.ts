import type { Instant } from '../../domain/core/brands.ts';
import { appliesTo, type LimitRule } from '../../domain/limits/limitRule.ts';
import { amountOf } from '../../domain/limits/limitTypes.ts';
import { windowIndexAt } from '../../domain/limits/limitWindows.ts';
import { countedAt, type WindowsClock } from '../../domain/limits/windowsClock.ts';
import type { OpenRequest } from './requestFolds.ts';

/**
 * What announced requests reserve on a rule of their key: the estimates of their admissions. A request reserves only in the
 * window in which it was admitted, so a node that never comes back blocks no later window.
 * @param open requests of the rule's key
 * @param at a time in the window
 * @returns the amount in the unit of the rule's counter
 */
export function reservedByOpen(open: Iterable<OpenRequest>, rule: LimitRule, clock: WindowsClock, at: Instant): number {
  const window = windowIndexAt(rule, at);
  let sum = 0;
  for (const { data } of open) {
    if (!data.admission || !appliesTo(rule, data.model)) continue;
    if (windowIndexAt(rule, countedAt(clock, data)) === window)
      sum += amountOf(rule.limitType, data.admission.estimate);
  }
  return sum;
}
