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

/** The cool-downs of accounts that failed on this node: 1 s, doubled by each further failure up to 60 s, ended by a success. */
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

  /** Called when the clock was set back, because cool-downs would last until it has caught up. */
  #clearFailures(): void {
    for (const [accountId, { failures }] of this.#byAccount) if (failures > 0) this.#byAccount.delete(accountId);
  }

  /**
   * Starts the cool-down of an account that failed, or extends it.
   * @param atLeastMs the time that the provider asked for
   * @returns its end
   */
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
   * Leaves out an account whose limit the provider reported. Needed until the event about the limit is folded; `forgetLimit`
   * then ends it, so that an early reset takes effect.
   */
  limit(accountId: AccountId, reason: string, until: Instant): void {
    this.#byAccount.set(accountId, { until, reason, failures: 0 });
  }

  /** Ends what `limit` started; a cool-down after failures continues. */
  forgetLimit(accountId: AccountId): void {
    if (this.#byAccount.get(accountId)?.failures === 0) this.#byAccount.delete(accountId);
  }

  /** Ends the cool-down of an account that succeeded. */
  clear(accountId: AccountId): void {
    if (this.#byAccount.size > 0) this.#byAccount.delete(accountId);
  }
}
