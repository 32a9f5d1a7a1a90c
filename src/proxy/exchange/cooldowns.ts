import { type AccountId, type Instant, instant } from '../../domain/core/brands.ts';
import type { Cooling, CoolingAccounts } from '../../domain/routing/availability.ts';

interface Entry extends Cooling {
  readonly failures: number;
}

const FIRST_MS = 1_000;
const MAX_MS = 60_000;

/** Accounts that failed a moment ago, on this node: 1 s, doubling on repetition to 60 s, forgotten on success. */
export class Cooldowns {
  readonly #entries = new Map<AccountId, Entry>();
  readonly #now: () => Instant;
  #lookedAt = 0;

  constructor(now: () => Instant) {
    this.#now = now;
  }

  /** For `select` and `availabilityOf`; entries that have passed are harmless there. */
  get current(): CoolingAccounts {
    const now = this.#now();
    if (now < this.#lookedAt - FIRST_MS) this.#forgetMoments();
    this.#lookedAt = now;
    return this.#entries;
  }

  /** The clock was put back: what was to last a moment would last until it has caught up. */
  #forgetMoments(): void {
    for (const [accountId, { failures }] of this.#entries) if (failures > 0) this.#entries.delete(accountId);
  }

  /** @param atLeastMs what the provider asked for, which wins when it is longer */
  add(accountId: AccountId, reason: string, now: Instant, atLeastMs = 0): Instant {
    const before = this.#entries.get(accountId);
    // Several requests that fail together are one failure of the account.
    const isSameFailure = before !== undefined && before.until > now;
    const failures = isSameFailure ? before.failures : (before?.failures ?? 0) + 1;
    const length = Math.max(Math.min(MAX_MS, FIRST_MS * 2 ** (failures - 1)), Math.min(atLeastMs, MAX_MS * 60));
    const until = instant(Math.max(now + length, isSameFailure ? before.until : 0));
    this.#entries.set(accountId, { until, reason, failures });
    return until;
  }

  /**
   * The provider refuses the account until then. The log says so too once the request has completed; this bridges the
   * time until it is folded, and `forgetLimit` ends it, so that an early reset is not overlooked.
   */
  limit(accountId: AccountId, reason: string, until: Instant): void {
    this.#entries.set(accountId, { until, reason, failures: 0 });
  }

  forgetLimit(accountId: AccountId): void {
    if (this.#entries.get(accountId)?.failures === 0) this.#entries.delete(accountId);
  }

  clear(accountId: AccountId): void {
    if (this.#entries.size > 0) this.#entries.delete(accountId);
  }
}
