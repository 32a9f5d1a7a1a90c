import { amountOf, appliesTo, type Consumption, ceilingOf, type KeyCounters, usedAt } from '../apiKey/counters.ts';
import type { LimitRule } from '../apiKey/events.ts';
import { windowAt } from '../apiKey/window.ts';
import type { Instant } from '../brands.ts';

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
  | {
      readonly kind: 'refused';
      readonly rule: LimitRule;
      readonly counted: number;
      readonly reserved: number;
      readonly ceiling: number;
      readonly resetAt: Instant;
      readonly alreadyReserved: PerRule;
    };

/**
 * Admits while counted + reserved stays below the ceiling of every applicable rule. The estimate itself never refuses, so
 * that a limit can be used up; but it is reserved whole, also beyond the ceiling: were only what is left reserved, each
 * request that ends with less than its estimate would let in another with next to nothing reserved.
 */
export function admit({ rules, model, counters, reservedOn, estimate, now }: AdmitInput): Verdict {
  const applicable = rules.filter((rule) => appliesTo(rule, model));
  const alreadyReserved = applicable.map(({ id }): [number, number] => [id, reservedOn(id)]);
  const reservations: PerRule = [];
  for (const [index, rule] of applicable.entries()) {
    const counted = usedAt(counters, rule, now);
    const reserved = alreadyReserved[index]?.[1] ?? 0;
    const ceiling = ceilingOf(rule);
    if (counted + reserved >= ceiling) {
      const { resetAt } = windowAt(rule, now);
      return { kind: 'refused', rule, counted, reserved, ceiling, resetAt, alreadyReserved };
    }
    reservations.push([rule.id, amountOf(rule.limitType, estimate)]);
  }
  return { kind: 'admitted', reservations, alreadyReserved };
}
