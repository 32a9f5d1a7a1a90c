import { type ApiError, asApiError } from '../api/apiError.ts';
import { now } from '../ui/now.svelte.ts';

/** Submitting a password or a code: running, rejected or rate-limited. */
export class Attempt {
  error = $state.raw<ApiError | undefined>(undefined);
  isRunning = $state(false);
  #waitUntil = $state(0);

  /** Whole seconds until the service accepts another attempt; 0 means now. */
  get secondsToWait(): number {
    return this.#waitUntil === 0 ? 0 : Math.max(0, Math.ceil((this.#waitUntil - now.ms) / 1_000));
  }

  /** @returns whether it succeeded */
  async run(work: () => Promise<unknown>): Promise<boolean> {
    if (this.isRunning || this.secondsToWait > 0) return false;
    this.isRunning = true;
    try {
      await work();
      this.error = undefined;
      return true;
    } catch (reason) {
      this.error = asApiError(reason);
      const { retryAfterSeconds } = this.error;
      if (retryAfterSeconds !== undefined) this.#waitUntil = Date.now() + retryAfterSeconds * 1_000;
      return false;
    } finally {
      this.isRunning = false;
    }
  }

  /** Error text for the field. @param texts by error code, where the message of the API does not suit a form */
  message(texts: Readonly<Record<string, string>> = {}): string | undefined {
    if (!this.error) return undefined;
    if (this.error.code === 'rate_limit_exceeded') {
      return this.secondsToWait > 0
        ? `Too many failed attempts from your address. Try again in ${this.secondsToWait} s.`
        : 'You can try again now.';
    }
    return texts[this.error.code] ?? this.error.message;
  }
}
