import type { LimitRule } from '../../domain/apiKey/events.ts';
import type { ApiKey } from '../../domain/apiKey/state.ts';
import { windowAt } from '../../domain/apiKey/window.ts';
import type { ApiKeyId, Instant } from '../../domain/brands.ts';
import type { PerRule } from '../../domain/limits/admit.ts';

/** What requests hold of one window of a rule together, in the unit of the rule's counter. */
interface Sum {
  readonly rule: LimitRule;
  /** Index of `windowAt`. */
  readonly window: number;
  amount: number;
  holders: number;
}

interface Reservation {
  readonly keyId: ApiKeyId;
  /** What the request holds of each sum. */
  readonly held: { readonly sum: Sum; amount: number }[];
}

/**
 * What this node's requests hold of the limits, beyond what the log has counted: the reservation while a request is open,
 * its real usage from settlement until the fold counts it, nothing after. So nothing is counted twice or not at all. Like
 * usage, it belongs to the window in which the request was admitted: the one that follows begins with nothing.
 */
export class Ledger {
  readonly #byRequest = new Map<string, Reservation>();
  /** By key and rule, so that admission costs the same however many requests are open. Seldom more than one window. */
  readonly #sums = new Map<ApiKeyId, Map<number, Sum[]>>();

  /** What is held of the window that holds `at`, in the unit of the rule's counter. */
  reservedOn(keyId: ApiKeyId, ruleId: number, at: Instant): number {
    const sums = this.#sums.get(keyId)?.get(ruleId);
    const [first] = sums ?? [];
    if (!sums || !first) return 0;
    const { index } = windowAt(first.rule, at);
    return sums.find(({ window }) => window === index)?.amount ?? 0;
  }

  get size(): number {
    return this.#byRequest.size;
  }

  /** @param amounts by rule of the key, in the unit of its counter */
  reserve({ id, rules }: Pick<ApiKey, 'id' | 'rules'>, requestId: string, admittedAt: Instant, amounts: PerRule): void {
    const held: Reservation['held'] = [];
    for (const [ruleId, amount] of amounts) {
      const rule = rules.find((each) => each.id === ruleId);
      if (!rule) continue;
      const sum = this.#sumOf(id, rule, windowAt(rule, admittedAt).index);
      sum.amount += amount;
      sum.holders += 1;
      held.push({ sum, amount });
    }
    if (held.length > 0) this.#byRequest.set(requestId, { keyId: id, held });
  }

  /** Replaces what was reserved by what was used. */
  settle(requestId: string, amounts: PerRule): void {
    for (const each of this.#byRequest.get(requestId)?.held ?? []) {
      const used = amounts.find(([ruleId]) => ruleId === each.sum.rule.id)?.[1] ?? 0;
      each.sum.amount += used - each.amount;
      each.amount = used;
    }
  }

  /** The fold counts the request now, or nothing of it will ever be counted. */
  release(requestId: string): void {
    const reservation = this.#byRequest.get(requestId);
    if (!reservation) return;
    this.#byRequest.delete(requestId);
    for (const { sum, amount } of reservation.held) {
      sum.amount -= amount;
      sum.holders -= 1;
      if (sum.holders === 0) this.#forget(reservation.keyId, sum);
    }
  }

  #sumOf(keyId: ApiKeyId, rule: LimitRule, window: number): Sum {
    let ofKey = this.#sums.get(keyId);
    if (!ofKey) {
      ofKey = new Map();
      this.#sums.set(keyId, ofKey);
    }
    let sums = ofKey.get(rule.id);
    if (!sums) {
      sums = [];
      ofKey.set(rule.id, sums);
    }
    const known = sums.find((each) => each.window === window);
    if (known) return known;
    const sum = { rule, window, amount: 0, holders: 0 };
    sums.push(sum);
    return sum;
  }

  #forget(keyId: ApiKeyId, sum: Sum): void {
    const ofKey = this.#sums.get(keyId);
    const others = ofKey?.get(sum.rule.id)?.filter((each) => each !== sum) ?? [];
    if (others.length > 0) ofKey?.set(sum.rule.id, others);
    else ofKey?.delete(sum.rule.id);
    if (ofKey?.size === 0) this.#sums.delete(keyId);
  }
}
