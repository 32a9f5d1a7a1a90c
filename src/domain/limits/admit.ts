import type { LimitRule } from '../apiKey/events.ts';
import type { Instant } from '../core/brands.ts';
import { amountOf, appliesTo, type Consumption, ceilingOf, type KeyCounters, usedAt } from './counters.ts';
import { windowAt } from './window.ts';

/** Goes up with every change of `admit` that could change an answer; recorded with each admission. */
export const ADMIT_VERSION = 2;

export interface AdmitInput {
  readonly rules: readonly LimitRule[];
  readonly model: string;
  /** From the fold. */
  readonly counters: KeyCounters | undefined;
  /** From the overlay: what open requests have reserved on a rule, in the rule's unit. */
  readonly reservedOn: (ruleId: number) => number;
  readonly estimate: Consumption;
  readonly now: Instant;
}

/** Pairs of rule id and amount, for each rule that applies to the request. */
export type PerRule = [ruleId: number, amount: number][];

export type Verdict =
  | { readonly kind: 'admitted'; readonly reservations: PerRule; readonly alreadyReserved: PerRule }
  | Refusal;

interface Refusal {
  readonly kind: 'refused';
  readonly rule: LimitRule;
  readonly counted: number;
  readonly reserved: number;
  readonly ceiling: number;
  readonly resetAt: Instant;
  readonly alreadyReserved: PerRule;
}

/**
 * Admits while counted + reserved stays below the ceiling of every applicable rule. The estimate itself never refuses, so
 * that a limit can be used up; but it is reserved whole, also beyond the ceiling: were only what is left reserved, each
 * request that ends with less than its estimate would let in another with next to nothing reserved.
 */
export function admit({ rules, model, counters, reservedOn, estimate, now }: AdmitInput): Verdict {
  const reservations: PerRule = [];
  const alreadyReserved: PerRule = [];
  let reached: Omit<Refusal, 'alreadyReserved'> | undefined;
  for (const rule of rules) {
    if (!appliesTo(rule, model)) continue;
    const reserved = reservedOn(rule.id);
    alreadyReserved.push([rule.id, reserved]);
    reservations.push([rule.id, amountOf(rule.limitType, estimate)]);
    const counted = usedAt(counters, rule, now);
    const ceiling = ceilingOf(rule);
    // The first that is used up is named; what is held of those behind it is recorded all the same.
    if (!reached && counted + reserved >= ceiling) {
      reached = { kind: 'refused', rule, counted, reserved, ceiling, resetAt: windowAt(rule, now).resetAt };
    }
  }
  return reached ? { ...reached, alreadyReserved } : { kind: 'admitted', reservations, alreadyReserved };
}
