import type { Instant } from '../core/brands.ts';
import { appliesTo, type LimitRule } from './limitRule.ts';
import { amountOf, type Consumption } from './limitTypes.ts';
import { windowIndexAt } from './limitWindows.ts';

/**
 * Amounts counted for one rule in its latest windows, newest first: the index of a window and its amount by turns. Several are
 * kept, because after a clock ran ahead an operator may set the windows back (`mergeLaterWindows`).
 */
type Counter = number[];

/** A clock that runs ahead for less than a window opens up to two besides the current one. */
const MAX_WINDOWS = 4;

/** Counters of one key by rule id, and when the key was last used. Mutable, because every request changes them. */
export interface KeyCounters {
  readonly byRule: Map<number, Counter>;
  lastUsedAt: Instant | null;
}

/** The counters of a key that was never used. */
export const newCounters = (): KeyCounters => ({ byRule: new Map(), lastUsedAt: null });

/** Adds to the window in which the request was admitted, if that is one of those that are kept. */
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
    else counters.byRule.set(rule.id, [index, amount]);
  }
}

function add(counter: Counter, window: number, amount: number): void {
  for (let at = 0; at < counter.length; at += 2) {
    const kept = counter[at] as number;
    if (kept > window) continue;
    if (kept === window) counter[at + 1] = (counter[at + 1] as number) + amount;
    else counter.splice(at, 0, window, amount);
    if (counter.length > 2 * MAX_WINDOWS) counter.length = 2 * MAX_WINDOWS;
    return;
  }
  if (counter.length < 2 * MAX_WINDOWS) counter.push(window, amount);
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
    const at = placeOf(counter, index);
    if (at >= 0) counter[at] = Math.max(0, (counter[at] as number) - amount);
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
    if (!counter || index < 0 || (counter[0] ?? -1) <= index) continue;
    let [next, amount] = [0, 0];
    for (; next < counter.length && (counter[next] as number) >= index; next += 2)
      amount += counter[next + 1] as number;
    counter.splice(0, next, index, amount);
  }
}

/** The amount counted for a rule in the window that contains `now`. */
export function usedAt(counters: KeyCounters | undefined, rule: LimitRule, now: Instant): number {
  const counter = counters?.byRule.get(rule.id);
  if (!counter) return 0;
  const at = placeOf(counter, windowIndexAt(rule, now));
  return at < 0 ? 0 : (counter[at] as number);
}

/** @returns the place of the amount that was counted in a window; -1 when there is none */
function placeOf(counter: Counter, window: number): number {
  for (let at = 0; at < counter.length; at += 2) if (counter[at] === window) return at + 1;
  return -1;
}
