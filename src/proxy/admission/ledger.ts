import type { ApiKeyId } from '../../domain/brands.ts';
import type { PerRule } from '../../domain/limits/admit.ts';

/** What one request holds of its key's limits. */
export interface Reservation {
  readonly keyId: ApiKeyId;
  readonly requestId: string;
  amounts: PerRule;
}

/**
 * What this node's requests hold of the limits, beyond what the log has counted: the reservation while a request is open,
 * its real usage from settlement until the fold counts it, nothing after. So nothing is counted twice or not at all.
 */
export class Ledger {
  readonly #byRequest = new Map<string, Reservation>();
  /** Sums by key and rule, so that admission costs the same however many requests are open. */
  readonly #sums = new Map<ApiKeyId, Map<number, number>>();

  reservedOn(keyId: ApiKeyId, ruleId: number): number {
    return this.#sums.get(keyId)?.get(ruleId) ?? 0;
  }

  get size(): number {
    return this.#byRequest.size;
  }

  reserve(keyId: ApiKeyId, requestId: string, amounts: PerRule): void {
    if (amounts.length === 0) return;
    this.#byRequest.set(requestId, { keyId, requestId, amounts });
    this.#add(keyId, amounts, 1);
  }

  /** Replaces what was reserved by what was used. */
  settle(requestId: string, amounts: PerRule): void {
    const reservation = this.#byRequest.get(requestId);
    if (!reservation) return;
    this.#add(reservation.keyId, reservation.amounts, -1);
    reservation.amounts = amounts;
    this.#add(reservation.keyId, amounts, 1);
  }

  /** The fold counts the request now, or nothing of it will ever be counted. */
  release(requestId: string): void {
    const reservation = this.#byRequest.get(requestId);
    if (!reservation) return;
    this.#byRequest.delete(requestId);
    this.#add(reservation.keyId, reservation.amounts, -1);
  }

  #add(keyId: ApiKeyId, amounts: PerRule, sign: 1 | -1): void {
    let sums = this.#sums.get(keyId);
    if (!sums) {
      sums = new Map();
      this.#sums.set(keyId, sums);
    }
    for (const [ruleId, amount] of amounts) {
      const sum = (sums.get(ruleId) ?? 0) + sign * amount;
      if (sum === 0) sums.delete(ruleId);
      else sums.set(ruleId, sum);
    }
    if (sums.size === 0) this.#sums.delete(keyId);
  }
}
