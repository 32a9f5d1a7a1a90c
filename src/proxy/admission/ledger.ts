import type { LimitRule } from '../../domain/apiKey/events.ts';
import type { ApiKey } from '../../domain/apiKey/state.ts';
import type { ApiKeyId, Instant } from '../../domain/core/brands.ts';
import type { PerRule } from '../../domain/limits/admit.ts';
import { windowIndexAt } from '../../domain/limits/window.ts';

/** What open requests hold of one rule in one window. */
interface Sum {
  readonly rule: LimitRule;
  /** Index of `windowAt`. */
  readonly window: number;
  amount: number;
  requests: number;
}

/** A request's part of a sum. */
interface Part {
  readonly of: Sum;
  amount: number;
}

interface Reservation {
  readonly keyId: ApiKeyId;
  readonly parts: readonly Part[];
}

const NONE: readonly never[] = [];

/**
 * What this node's requests hold of the limits, beyond what the log has counted: the reservation while a request is open,
 * its real usage from settlement until the fold counts it, nothing after. So nothing is counted twice or not at all. Like
 * usage, it belongs to the window in which the request was admitted: the one that follows begins with nothing.
 */
export class Ledger {
  readonly #byRequest = new Map<string, Reservation>();
  /** By key: one for each rule, two for a while when requests are open at the end of a window. */
  readonly #sums = new Map<ApiKeyId, Sum[]>();

  /** What is held in the window that holds `at`, in the unit of the rule's counter. */
  reservedOn(keyId: ApiKeyId, ruleId: number, at: Instant): number {
    for (const { rule, window, amount } of this.#sums.get(keyId) ?? NONE) {
      if (rule.id === ruleId && window === windowIndexAt(rule, at)) return amount;
    }
    return 0;
  }

  get size(): number {
    return this.#byRequest.size;
  }

  /** @param amounts by rule of the key, in the unit of its counter */
  reserve({ id, rules }: Pick<ApiKey, 'id' | 'rules'>, requestId: string, admittedAt: Instant, amounts: PerRule): void {
    const parts: Part[] = [];
    for (const [ruleId, amount] of amounts) {
      const rule = ruleIn(rules, ruleId);
      if (!rule) continue;
      const of = this.#sumOf(id, rule, windowIndexAt(rule, admittedAt));
      of.amount += amount;
      of.requests += 1;
      parts.push({ of, amount });
    }
    if (parts.length > 0) this.#byRequest.set(requestId, { keyId: id, parts });
  }

  /** Replaces what was reserved by what was used. */
  settle(requestId: string, amounts: PerRule): void {
    const reservation = this.#byRequest.get(requestId);
    if (!reservation) return;
    for (const part of reservation.parts) {
      const used = amountIn(amounts, part.of.rule.id);
      part.of.amount += used - part.amount;
      part.amount = used;
    }
  }

  /** The fold counts the request now, or nothing of it will ever be counted. */
  release(requestId: string): void {
    const reservation = this.#byRequest.get(requestId);
    if (!reservation) return;
    this.#byRequest.delete(requestId);
    const { keyId, parts } = reservation;
    for (const { of, amount } of parts) {
      of.amount -= amount;
      of.requests -= 1;
      if (of.requests === 0) this.#forget(keyId, of);
    }
  }

  #sumOf(keyId: ApiKeyId, rule: LimitRule, window: number): Sum {
    let sums = this.#sums.get(keyId);
    if (!sums) {
      sums = [];
      this.#sums.set(keyId, sums);
    }
    for (const sum of sums) if (sum.rule.id === rule.id && sum.window === window) return sum;
    const sum = { rule, window, amount: 0, requests: 0 };
    sums.push(sum);
    return sum;
  }

  #forget(keyId: ApiKeyId, sum: Sum): void {
    const sums = this.#sums.get(keyId);
    if (!sums) return;
    sums.splice(sums.indexOf(sum), 1);
    if (sums.length === 0) this.#sums.delete(keyId);
  }
}

// Loops, not `find`: a closure for each rule of each request costs more than the search.

function ruleIn(rules: readonly LimitRule[], ruleId: number): LimitRule | undefined {
  for (const rule of rules) if (rule.id === ruleId) return rule;
  return undefined;
}

function amountIn(amounts: PerRule, ruleId: number): number {
  for (const amount of amounts) if (amount[0] === ruleId) return amount[1];
  return 0;
}
