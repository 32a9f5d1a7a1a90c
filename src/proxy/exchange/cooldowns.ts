import { type AccountId, type Instant, instant } from '../../domain/core/brands.ts';
import type { Cooling, CoolingAccounts } from '../../domain/routing/availability.ts';

interface CoolDown extends Cooling {
  /** Failures in a row; 0 for a limit that the provider reported. */
  readonly failures: number;
}

const MIN_MS = 1_000;
const MAX_MS = 60_000;
/** Limits what a provider can ask for by `retry-after`. */
const MAX_REQUESTED_MS = 3_600_000;

/** Accounts that failed recently on this node: for 1 s, doubling with each failure up to 60 s, cleared by a success. */
export class Cooldowns {
  readonly #byAccount = new Map<AccountId, CoolDown>();
  readonly #now: () => Instant;
  #lastReadAt = 0;

  constructor(now: () => Instant) {
    this.#now = now;
  }

  /** For `select` and `availabilityOf`, which ignore cool-downs that have passed. */
  get current(): CoolingAccounts {
    const now = this.#now();
    if (now < this.#lastReadAt - MIN_MS) this.#clearFailures();
    this.#lastReadAt = now;
    return this.#byAccount;
  }

  /** The clock was set back: cool-downs would last until it has caught up. */
  #clearFailures(): void {
    for (const [accountId, { failures }] of this.#byAccount) if (failures > 0) this.#byAccount.delete(accountId);
  }

  /** @param atLeastMs what the provider asked for; applies when it is longer */
  add(accountId: AccountId, reason: string, now: Instant, atLeastMs = 0): Instant {
    const previous = this.#byAccount.get(accountId);
    // Requests that fail together count as one failure of the account.
    const isSameFailure = previous !== undefined && previous.until > now;
    const failures = isSameFailure ? previous.failures : (previous?.failures ?? 0) + 1;
    const backoffMs = Math.min(MAX_MS, MIN_MS * 2 ** (failures - 1));
    const lengthMs = Math.max(backoffMs, Math.min(atLeastMs, MAX_REQUESTED_MS));
    const until = instant(Math.max(now + lengthMs, isSameFailure ? previous.until : 0));
    this.#byAccount.set(accountId, { until, reason, failures });
    return until;
  }

  /**
   * The provider refuses the account until then. Bridges the time until the log's event about it is folded;
   * `forgetLimit` then removes it, so that an early reset takes effect.
   */
  limit(accountId: AccountId, reason: string, until: Instant): void {
    this.#byAccount.set(accountId, { until, reason, failures: 0 });
  }

  forgetLimit(accountId: AccountId): void {
    if (this.#byAccount.get(accountId)?.failures === 0) this.#byAccount.delete(accountId);
  }

  clear(accountId: AccountId): void {
    if (this.#byAccount.size > 0) this.#byAccount.delete(accountId);
  }
}
