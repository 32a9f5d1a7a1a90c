import type { Instant } from '../core/brands.ts';
import { type KeyCounters, usedAt } from './counters.ts';
import { appliesTo, type LimitRule } from './limitRule.ts';
import { amountOf, type Consumption, ceilingOf } from './limitTypes.ts';
import { windowAt } from './limitWindows.ts';

/**
 * Must be raised with every change of `admit` or `admitLevels` that could change a result; recorded with each admission. Up to
 * version 2 `now` was the time of the request, since then it is that of the windows' clock; since version 4 owner and team
 * admit too. Replay passes what was recorded.
 */
export const ADMIT_VERSION = 4;

export interface AdmitInput {
  readonly rules: readonly LimitRule[];
  readonly model: string;
  /** From the hot state. */
  readonly counters: KeyCounters | undefined;
  /** From the overlay: what open requests have reserved on a rule, in the rule's unit. */
  readonly reservedOn: (ruleId: number) => number;
  readonly estimate: Consumption;
  /** By the windows' clock (`windowsTime`). */
  readonly now: Instant;
}

/** The amount of each rule that applies to a request. */
export type PerRule = [ruleId: number, amount: number][];

export type Verdict =
  | { readonly kind: 'admitted'; readonly reservations: PerRule; readonly alreadyReserved: PerRule }
  | LimitReached;

interface LimitReached {
  readonly kind: 'refused';
  readonly rule: LimitRule;
  readonly counted: number;
  readonly reserved: number;
  readonly ceiling: number;
  readonly resetAt: Instant;
  readonly alreadyReserved: PerRule;
}

/**
 * Admits a request while counted + reserved is below the ceiling of every applicable rule
 * (docs/decisions/0024-limits-and-reservations.md). The estimate itself never causes a refusal, so that a limit can be used
 * up. It is reserved in full, even beyond the ceiling: if only the remainder were reserved, each request that uses less than
 * its estimate would let in another one with next to nothing reserved.
 */
export function admit({ rules, model, counters, reservedOn, estimate, now }: AdmitInput): Verdict {
  const reservations: PerRule = [];
  const alreadyReserved: PerRule = [];
  let reached: Omit<LimitReached, 'alreadyReserved'> | undefined;
  for (const rule of rules) {
    if (!appliesTo(rule, model)) continue;
    const reserved = reservedOn(rule.id);
    alreadyReserved.push([rule.id, reserved]);
    reservations.push([rule.id, amountOf(rule.limitType, estimate)]);
    const counted = usedAt(counters, rule, now);
    const ceiling = ceilingOf(rule);
    // The refusal names the first rule that is used up, but records the reservations on all rules.
    if (!reached && counted + reserved >= ceiling) {
      reached = { kind: 'refused', rule, counted, reserved, ceiling, resetAt: windowAt(rule, now).resetAt };
    }
  }
  return reached ? { ...reached, alreadyReserved } : { kind: 'admitted', reservations, alreadyReserved };
}
