import { MongoError } from 'mongodb';

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 5_000;
/** Longer than a former lease holder takes to notice that it has lost the lease. */
const TRANSIENT_LIMIT_MS = 20_000;
const TRANSIENT_PAUSE_MS = 1_000;

/** Reports every failed attempt to use MongoDB to the operator, and the recovery; computes the back-off. */
export class FailureReporter {
  readonly #hosts: string;
  readonly #report: (line: string) => void;
  readonly #now: () => number;
  #attempts = 0;
  #pauseMs = FIRST_PAUSE_MS;
  /** The last error that is not MongoDB's; reported once. */
  #blockedReason: string | undefined;
  #transientSince: number | undefined;

  constructor(hosts: string, report: (line: string) => void, now = () => performance.now()) {
    this.#hosts = hosts;
    this.#report = report;
    this.#now = now;
  }

  /** Why the projection cannot continue, unless MongoDB is the reason. */
  get blockedReason(): string | undefined {
    return this.#blockedReason;
  }

  /** @returns milliseconds until the next attempt */
  onFailure(error: Error): number {
    const pauseMs = this.#pauseMs;
    this.#attempts++;
    this.#pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2);
    if (error instanceof MongoError) {
      this.#report(
        `MongoDB at ${this.#hosts} cannot be used: ${error.message} (attempt ${this.#attempts}, the next one in ${pauseMs / 1_000} s). ` +
          'Model requests and changes are not affected; request log, usage and history return 503 until then.',
      );
    } else if (this.#blockedReason !== error.message) {
      this.#blockedReason = error.message;
      this.#report(`The read models cannot continue: ${error.message}`);
    }
    return pauseMs;
  }

  /** As `onFailure`, for errors that usually resolve themselves: they are reported only when they last. */
  onTransientFailure(error: Error): number {
    const now = this.#now();
    this.#transientSince ??= now;
    return now - this.#transientSince < TRANSIENT_LIMIT_MS ? TRANSIENT_PAUSE_MS : this.onFailure(error);
  }

  onSuccess(): void {
    this.#transientSince = undefined;
    if (this.#attempts > 0) this.#report(`MongoDB at ${this.#hosts} is available again; the read models continue.`);
    this.#attempts = 0;
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#blockedReason = undefined;
  }
}
