import type { LimitRule } from '../../domain/apiKey/events.ts';
import type { ApiKey } from '../../domain/apiKey/state.ts';
import { windowAt } from '../../domain/apiKey/window.ts';
import type { ApiKeyId, Instant } from '../../domain/brands.ts';
import type { PerRule } from '../../domain/limits/admit.ts';

/** An amount of one rule, held in the window in which the request was admitted: only there will its usage count. */
interface Held {
  readonly rule: LimitRule;
  /** Index of `windowAt`. */
  readonly window: number;
  amount: number;
}

interface Reservation {
  readonly keyId: ApiKeyId;
  readonly held: readonly Held[];
}

/** Sums of one rule. Nearly always one: requests that are open when a window ends make it two. */
interface HeldOfRule {
  readonly rule: LimitRule;
  readonly byWindow: Map<number, number>;
}

/**
 * What this node's requests hold of the limits, beyond what the log has counted: the reservation while a request is open,
 * its real usage from settlement until the fold counts it, nothing after. So nothing is counted twice or not at all. Like
 * usage, it belongs to the window in which the request was admitted: the one that follows begins with nothing.
 */
export class Ledger {
  readonly #byRequest = new Map<string, Reservation>();
  /** Sums by key and rule, so that admission costs the same however many requests are open. */
  readonly #sums = new Map<ApiKeyId, Map<number, HeldOfRule>>();

  /** What is held in the window that holds `at`, in the unit of the rule's counter. */
  reservedOn(keyId: ApiKeyId, ruleId: number, at: Instant): number {
    const sum = this.#sums.get(keyId)?.get(ruleId);
    return sum?.byWindow.get(windowAt(sum.rule, at).index) ?? 0;
  }

  get size(): number {
    return this.#byRequest.size;
  }

  /** @param amounts by rule of the key, in the unit of its counter */
  reserve({ id, rules }: Pick<ApiKey, 'id' | 'rules'>, requestId: string, admittedAt: Instant, amounts: PerRule): void {
    const held: Held[] = [];
    for (const [ruleId, amount] of amounts) {
      const rule = rules.find((each) => each.id === ruleId);
      if (rule) held.push({ rule, window: windowAt(rule, admittedAt).index, amount });
    }
    if (held.length === 0) return;
    this.#byRequest.set(requestId, { keyId: id, held });
    for (const each of held) this.#add(id, each, each.amount);
  }

  /** Replaces what was reserved by what was used. */
  settle(requestId: string, amounts: PerRule): void {
    const reservation = this.#byRequest.get(requestId);
    if (!reservation) return;
    for (const each of reservation.held) {
      const used = amounts.find(([ruleId]) => ruleId === each.rule.id)?.[1] ?? 0;
      this.#add(reservation.keyId, each, used - each.amount);
      each.amount = used;
    }
  }

  /** The fold counts the request now, or nothing of it will ever be counted. */
  release(requestId: string): void {
    const reservation = this.#byRequest.get(requestId);
    if (!reservation) return;
    this.#byRequest.delete(requestId);
    for (const each of reservation.held) this.#add(reservation.keyId, each, -each.amount);
  }

  #add(keyId: ApiKeyId, { rule, window }: Held, amount: number): void {
    if (amount === 0) return;
    let ofKey = this.#sums.get(keyId);
    if (!ofKey) {
      ofKey = new Map();
      this.#sums.set(keyId, ofKey);
    }
    let ofRule = ofKey.get(rule.id);
    if (!ofRule) {
      ofRule = { rule, byWindow: new Map() };
      ofKey.set(rule.id, ofRule);
    }
    const sum = (ofRule.byWindow.get(window) ?? 0) + amount;
    if (sum !== 0) {
      ofRule.byWindow.set(window, sum);
      return;
    }
    ofRule.byWindow.delete(window);
    if (ofRule.byWindow.size === 0) ofKey.delete(rule.id);
    if (ofKey.size === 0) this.#sums.delete(keyId);
  }
}
