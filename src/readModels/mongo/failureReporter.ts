import { MongoError } from 'mongodb';

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 5_000;
/** Longer than a lease takes to tell its old owner. */
const TRANSIENT_LIMIT_MS = 20_000;
const TRANSIENT_PAUSE_MS = 1_000;

/** Tells the operator of every attempt that failed, and once when it is over. */
export class FailureReporter {
  readonly #hosts: string;
  readonly #say: (line: string) => void;
  readonly #now: () => number;
  #attempts = 0;
  #pauseMs = FIRST_PAUSE_MS;
  /** Told once: repeating it would not help anybody. */
  #told: string | undefined;
  #hinderedSince: number | undefined;

  constructor(hosts: string, say: (line: string) => void, now = () => performance.now()) {
    this.#hosts = hosts;
    this.#say = say;
    this.#now = now;
  }

  /** Why the read models do not go on, unless it is that MongoDB does not answer. */
  get blockedReason(): string | undefined {
    return this.#told;
  }

  /** @returns how long to wait before the next attempt */
  onFailure(error: Error): number {
    const pauseMs = this.#pauseMs;
    this.#attempts++;
    this.#pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2);
    if (error instanceof MongoError) {
      this.#say(
        `MongoDB at ${this.#hosts} cannot be used: ${error.message} (attempt ${this.#attempts}, the next one in ${pauseMs / 1_000} s). ` +
          'Model requests and changes go on; request log, usage and history answer 503 until then.',
      );
    } else if (this.#told !== error.message) {
      this.#told = error.message;
      this.#say(`The read models cannot go on: ${error.message}`);
    }
    return pauseMs;
  }

  /** As `failed`, of what passes by itself as a rule: it is told only when it lasts. */
  onTransientFailure(error: Error): number {
    const now = this.#now();
    this.#hinderedSince ??= now;
    return now - this.#hinderedSince < TRANSIENT_LIMIT_MS ? TRANSIENT_PAUSE_MS : this.onFailure(error);
  }

  onSuccess(): void {
    this.#hinderedSince = undefined;
    if (this.#attempts > 0) this.#say(`MongoDB at ${this.#hosts} answers; the read models go on.`);
    this.#attempts = 0;
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#told = undefined;
  }
}
