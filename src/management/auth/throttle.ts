import type { Instant } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';

/** Of one address. */
export const MAX_FAILURES = 8;
const WINDOW_MS = 60_000;
const MAX_KEYS = 50_000;

/** Counts failures per key over the last 60 s, in memory only (docs/decisions/0040-dashboard-sessions.md). */
export class Throttle {
  /** Times of failures in ascending order; the key that failed last is last in the map. */
  readonly #failures = new Map<string, Instant[]>();
  readonly #now: () => Instant;
  readonly #maxFailures: number;

  constructor(now: () => Instant, maxFailures = MAX_FAILURES) {
    this.#now = now;
    this.#maxFailures = maxFailures;
  }

  /** @throws Refusal `rate_limit_exceeded` with `retryAfterSeconds` after the maximum of failures within 60 s */
  admit(key: string): void {
    const failures = this.#recent(key);
    if (failures.length < this.#maxFailures) return;
    const [oldest = this.#now()] = failures.slice(-this.#maxFailures);
    const retryAfterSeconds = Math.max(1, Math.ceil((oldest + WINDOW_MS - this.#now()) / 1_000));
    refuse('rate_limit_exceeded', {
      problem: `too many failed attempts; try again in ${retryAfterSeconds} s`,
      retryAfterSeconds,
    });
  }

  recordFailure(key: string): void {
    const failures = this.#recent(key);
    // A Map keeps insertion order: deleting first moves the key to the end.
    this.#failures.delete(key);
    this.#failures.set(key, [...failures, this.#now()]);
    if (this.#failures.size <= MAX_KEYS) return;
    const leastRecent = this.#failures.keys().next();
    if (!leastRecent.done) this.#failures.delete(leastRecent.value);
  }

  clearFailures(key: string): void {
    this.#failures.delete(key);
  }

  #recent(key: string): Instant[] {
    const now = this.#now();
    // Times in the future were recorded before the clock was set back; they would count until the clock reaches them again.
    return (this.#failures.get(key) ?? []).filter((time) => time > now - WINDOW_MS && time <= now);
  }
}
