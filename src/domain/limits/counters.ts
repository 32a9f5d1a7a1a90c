import type { Instant } from '../core/brands.ts';
import { appliesTo, type LimitRule } from './limitRule.ts';
import { amountOf, type Consumption } from './limitTypes.ts';
import { windowIndexAt } from './limitWindows.ts';

/**
 * Amounts counted for one rule. The window before the latest one is kept as well: a clock that was ahead for a moment must
 * not leave the current window without its count.
 */
interface Counter {
  window: number;
  value: number;
  /** -1 when there is none. */
  windowBefore: number;
  valueBefore: number;
}

/** Counters of one key by rule id, and when the key was last used. Mutable, because every request changes them. */
export interface KeyCounters {
  readonly byRule: Map<number, Counter>;
  lastUsedAt: Instant | null;
}

/** The counters of a key that was never used. */
export const newCounters = (): KeyCounters => ({ byRule: new Map(), lastUsedAt: null });

/** Adds to the window in which the request was admitted, if that is one of the two that are kept. */
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

/** Subtracts what `count` added, if its window is still kept. */
export function uncount(
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

/**
 * Moves what was counted in later windows into the one that contains `now`, and the last use to `now` if it was later: the
 * clock ran ahead, and an operator has accepted that it is `now`.
 */
export function mergeLaterWindows(counters: KeyCounters, rules: readonly LimitRule[], now: Instant): void {
  if (counters.lastUsedAt !== null && counters.lastUsedAt > now) counters.lastUsedAt = now;
  for (const rule of rules) {
    const counter = counters.byRule.get(rule.id);
    const index = windowIndexAt(rule, now);
    if (!counter || counter.window <= index) continue;
    if (counter.windowBefore >= index) {
      counter.value += counter.valueBefore;
      counter.windowBefore = -1;
      counter.valueBefore = 0;
    }
    counter.window = index;
  }
}

/** The amount counted for a rule in the window that contains `now`. */
export function usedAt(counters: KeyCounters | undefined, rule: LimitRule, now: Instant): number {
  const counter = counters?.byRule.get(rule.id);
  if (!counter) return 0;
  const index = windowIndexAt(rule, now);
  if (index < 0) return 0;
  return index === counter.window ? counter.value : index === counter.windowBefore ? counter.valueBefore : 0;
}
