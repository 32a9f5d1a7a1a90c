import type { LimitRule, LimitType } from '../apiKey/events.ts';
import type { Instant } from '../core/brands.ts';
import { windowIndexAt } from './window.ts';

/** What one request used; cost is zero where its model has no price. */
export interface Consumption {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicroDollars: number;
}

/**
 * Usage of one rule: tokens, or micro-dollars for `cost_usd`. The window before the latest one is kept as well: a clock that
 * ran ahead for a moment must not leave the window that is open without a count.
 */
interface Counter {
  window: number;
  value: number;
  /** Negative when there is none. */
  windowBefore: number;
  valueBefore: number;
}

/** Counters of one key by rule id, and when the key was last used. Mutable: request events touch nothing else. */
export interface KeyCounters {
  readonly byRule: Map<number, Counter>;
  lastUsedAt: Instant | null;
}

export const newCounters = (): KeyCounters => ({ byRule: new Map(), lastUsedAt: null });

/** What `consumption` adds to a rule of this type, in the rule's unit. */
export function amountOf(limitType: LimitType, { inputTokens, outputTokens, costMicroDollars }: Consumption): number {
  switch (limitType) {
    case 'total_tokens':
      return inputTokens + outputTokens;
    case 'input_tokens':
      return inputTokens;
    case 'output_tokens':
      return outputTokens;
    case 'cost_usd':
      return costMicroDollars;
  }
}

/** The ceiling of a rule in the unit of its counter. */
export const ceilingOf = ({ limitType, maxValue }: LimitRule): number =>
  limitType === 'cost_usd' ? maxValue * 1_000_000 : maxValue;

/** Whether a rule counts requests for this model. */
export const appliesTo = (rule: LimitRule, model: string): boolean =>
  rule.modelFilter === null || rule.modelFilter === model;

/** Adds to the window that was open when the request was admitted; one that passed longer ago takes nothing any more. */
export function count(
  counters: KeyCounters,
  rules: readonly LimitRule[],
  request: { readonly model: string; readonly admittedAt: Instant; readonly consumption: Consumption },
): void {
  if (counters.lastUsedAt === null || counters.lastUsedAt < request.admittedAt)
    counters.lastUsedAt = request.admittedAt;
  for (const rule of rules) {
    if (!appliesTo(rule, request.model)) continue;
    const index = windowIndexAt(rule, request.admittedAt);
    if (index < 0) continue;
    const amount = amountOf(rule.limitType, request.consumption);
    const counter = counters.byRule.get(rule.id);
    if (counter) add(counter, index, amount);
    else counters.byRule.set(rule.id, { window: index, value: amount, windowBefore: -1, valueBefore: 0 });
  }
}

function add(counter: Counter, window: number, amount: number): void {
  if (window === counter.window) {
    counter.value += amount;
  } else if (window > counter.window) {
    counter.windowBefore = counter.window;
    counter.valueBefore = counter.value;
    counter.window = window;
    counter.value = amount;
  } else if (window === counter.windowBefore) {
    counter.valueBefore += amount;
  } else if (window > counter.windowBefore) {
    counter.windowBefore = window;
    counter.valueBefore = amount;
  }
}

/** Takes back what `count` added, as far as its window is still kept. */
export function takeBack(
  { byRule }: KeyCounters,
  rules: readonly LimitRule[],
  request: { readonly model: string; readonly admittedAt: Instant; readonly consumption: Consumption },
): void {
  for (const rule of rules) {
    if (!appliesTo(rule, request.model)) continue;
    const counter = byRule.get(rule.id);
    if (!counter) continue;
    const index = windowIndexAt(rule, request.admittedAt);
    const amount = amountOf(rule.limitType, request.consumption);
    if (index === counter.window) counter.value = Math.max(0, counter.value - amount);
    else if (index === counter.windowBefore) counter.valueBefore = Math.max(0, counter.valueBefore - amount);
  }
}

/** Usage of a rule in the window that holds `now`, in the unit of its counter. */
export function usedAt(counters: KeyCounters | undefined, rule: LimitRule, now: Instant): number {
  const counter = counters?.byRule.get(rule.id);
  if (!counter) return 0;
  const index = windowIndexAt(rule, now);
  if (index < 0) return 0;
  return index === counter.window ? counter.value : index === counter.windowBefore ? counter.valueBefore : 0;
}
