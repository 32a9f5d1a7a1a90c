import type { Instant } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';

const MAX_FAILURES = 8;
const WINDOW_MS = 60_000;
const MAX_KEYS = 50_000;

/** Counts what went wrong per key within the last minute; in memory, for it has no meaning beyond (design.md section 5). */
export class Throttle {
  /** Times of failures, the oldest first. */
  readonly #failures = new Map<string, Instant[]>();
  readonly #now: () => Instant;

  constructor(now: () => Instant) {
    this.#now = now;
  }

  /** @throws Refusal `rate_limit_exceeded` with `retryAfterSeconds` after 8 failures within 60 s */
  admit(key: string): void {
    const failures = this.#recent(key);
    if (failures.length < MAX_FAILURES) return;
    const [oldest = this.#now()] = failures.slice(-MAX_FAILURES);
    const retryAfterSeconds = Math.max(1, Math.ceil((oldest + WINDOW_MS - this.#now()) / 1_000));
    refuse('rate_limit_exceeded', {
      problem: `too many attempts failed; try again in ${retryAfterSeconds} s`,
      retryAfterSeconds,
    });
  }

  failed(key: string): void {
    const failures = this.#recent(key);
    // Deleting first keeps the keys in the order of their last failure.
    this.#failures.delete(key);
    this.#failures.set(key, [...failures, this.#now()]);
    if (this.#failures.size <= MAX_KEYS) return;
    const longestAgo = this.#failures.keys().next();
    if (!longestAgo.done) this.#failures.delete(longestAgo.value);
  }

  succeeded(key: string): void {
    this.#failures.delete(key);
  }

  #recent(key: string): Instant[] {
    const now = this.#now();
    // What lies ahead was counted by a clock that has been put back: it would count until that has caught up.
    return (this.#failures.get(key) ?? []).filter((time) => time > now - WINDOW_MS && time <= now);
  }
}
