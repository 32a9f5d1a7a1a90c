import type { Instant } from '../../domain/core/brands.ts';
import type { LevelAmounts } from '../../domain/limits/admitLevels.ts';
import type { LimitHolder } from '../../domain/limits/limitLevel.ts';
import type { LimitRule } from '../../domain/limits/limitRule.ts';
import { amountOf, type Consumption } from '../../domain/limits/limitTypes.ts';
import { windowIndexAt } from '../../domain/limits/limitWindows.ts';

/** What open requests reserve on one rule in one window, and what they have used of it so far. */
interface Sum {
  readonly holder: LimitHolder;
  rule: LimitRule;
  /** By `windowIndexAt`. */
  window: number;
  amount: number;
  used: number;
  requests: number;
}

/** The part of one request in a sum. */
interface Part {
  readonly sum: Sum;
  amount: number;
  used: number;
}

const NO_SUMS: readonly Sum[] = [];
const NO_PARTS: readonly Part[] = [];

/**
 * What this node's requests reserve on limits beyond the counters of the hot state: the estimate while a request is open, or
 * more if it turns out longer, its actual usage from settlement until the fold counts it, nothing afterwards. So limits count
 * every request exactly once. Like usage, a reservation belongs to the window in which the request was admitted
 * (docs/decisions/0024-limits-and-reservations.md).
 */
export class Ledger {
  /** The parts of a request, on the rules of all its levels. */
  readonly #byRequest = new Map<string, readonly Part[]>();
  /** One for each rule of a holder, two while requests are open across the end of a window. */
  readonly #sums = new Map<LimitHolder, Sum[]>();

  /** The amount in the window that contains `at`, in the unit of the rule's counter. */
  reservedOn(holder: LimitHolder, ruleId: number, at: Instant): number {
    let reserved = 0;
    for (const { rule, window, amount } of this.#sums.get(holder) ?? NO_SUMS) {
      if (rule.id === ruleId && window === windowIndexAt(rule, at)) reserved += amount;
    }
    return reserved;
  }

  /** The part of `reservedOn` that is known to be used: the final usage of settled requests, and what others have used so far. */
  usedOn(holder: LimitHolder, ruleId: number, at: Instant): number {
    let sum = 0;
    for (const { rule, window, used } of this.#sums.get(holder) ?? NO_SUMS) {
      if (rule.id === ruleId && window === windowIndexAt(rule, at)) sum += used;
    }
    return sum;
  }

  /** The number of requests with a reservation. */
  get size(): number {
    return this.#byRequest.size;
  }

  /** @param reservations what the request reserves on each level, in the units of its counters */
  reserve(requestId: string, admittedAt: Instant, reservations: readonly LevelAmounts[]): void {
    const parts: Part[] = [];
    for (const { level, amounts } of reservations) {
      for (const [ruleId, amount] of amounts) {
        const rule = ruleIn(level.rules, ruleId);
        if (!rule) continue;
        const sum = this.#sumOf(level.holder, rule, windowIndexAt(rule, admittedAt));
        sum.amount += amount;
        sum.requests += 1;
        parts.push({ sum, amount, used: 0 });
      }
    }
    if (parts.length > 0) this.#byRequest.set(requestId, parts);
  }

  /** Raises what a request reserves, because it turns out longer than estimated. */
  grow(requestId: string, consumption: Consumption): void {
    for (const part of this.#byRequest.get(requestId) ?? NO_PARTS) {
      const amount = amountOf(part.sum.rule.limitType, consumption);
      if (amount <= part.amount) continue;
      part.sum.amount += amount - part.amount;
      part.amount = amount;
    }
  }

  /** Records what an open request has used so far. */
  use(requestId: string, consumption: Consumption): void {
    for (const part of this.#byRequest.get(requestId) ?? NO_PARTS) {
      const used = amountOf(part.sum.rule.limitType, consumption);
      part.sum.used += used - part.used;
      part.used = used;
    }
  }

  /** Replaces the reserved amounts by those of the final usage. */
  settle(requestId: string, consumption: Consumption): void {
    for (const part of this.#byRequest.get(requestId) ?? NO_PARTS) {
      const used = amountOf(part.sum.rule.limitType, consumption);
      part.sum.amount += used - part.amount;
      part.sum.used += used - part.used;
      part.amount = used;
      part.used = used;
    }
  }

  /**
   * Moves what is reserved in later windows into the one that contains `now`: an operator has accepted the clock.
   * @param rulesOf the rules of a holder after that
   */
  mergeLaterWindows(rulesOf: (holder: LimitHolder) => readonly LimitRule[], now: Instant): void {
    for (const [holder, sums] of this.#sums) {
      for (const sum of sums) {
        sum.rule = ruleIn(rulesOf(holder), sum.rule.id) ?? sum.rule;
        sum.window = Math.min(sum.window, windowIndexAt(sum.rule, now));
      }
    }
  }

  /** Called when the fold counts the request, or when it will never be counted. */
  release(requestId: string): void {
    const parts = this.#byRequest.get(requestId);
    if (!parts) return;
    this.#byRequest.delete(requestId);
    for (const { sum, amount, used } of parts) {
      sum.amount -= amount;
      sum.used -= used;
      sum.requests -= 1;
      if (sum.requests === 0) this.#forget(sum);
    }
  }

  #sumOf(holder: LimitHolder, rule: LimitRule, window: number): Sum {
    let sums = this.#sums.get(holder);
    if (!sums) {
      sums = [];
      this.#sums.set(holder, sums);
    }
    for (const sum of sums) if (sum.rule.id === rule.id && sum.window === window) return sum;
    const sum = { holder, rule, window, amount: 0, used: 0, requests: 0 };
    sums.push(sum);
    return sum;
  }

  #forget(sum: Sum): void {
    const sums = this.#sums.get(sum.holder);
    if (!sums) return;
    sums.splice(sums.indexOf(sum), 1);
    if (sums.length === 0) this.#sums.delete(sum.holder);
  }
}

// A loop instead of `find`, because a closure for each rule of each request costs more than the search.

function ruleIn(rules: readonly LimitRule[], ruleId: number): LimitRule | undefined {
  for (const rule of rules) if (rule.id === ruleId) return rule;
  return undefined;
}
