import { type ApiError, asApiError } from '../api/apiError.ts';
import { now } from '../ui/now.svelte.ts';

/** One try at a password or a code: under way, refused, or told to wait. */
export class Attempt {
  error = $state.raw<ApiError | undefined>(undefined);
  isUnderWay = $state(false);
  #waitUntil = $state(0);

  /** Whole seconds until the service looks at another try; 0: now. */
  get secondsToWait(): number {
    return this.#waitUntil === 0 ? 0 : Math.max(0, Math.ceil((this.#waitUntil - now.ms) / 1_000));
  }

  /** @returns whether it went well */
  async run(work: () => Promise<unknown>): Promise<boolean> {
    if (this.isUnderWay || this.secondsToWait > 0) return false;
    this.isUnderWay = true;
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
      this.isUnderWay = false;
    }
  }

  /** What to say beside the field; codes that have better words for somebody at a form come with `words`. */
  message(words: Readonly<Record<string, string>> = {}): string | undefined {
    if (!this.error) return undefined;
    if (this.error.code === 'rate_limit_exceeded') {
      return this.secondsToWait > 0
        ? `Too many failed attempts from your address. Try again in ${this.secondsToWait} s.`
        : 'You can try again now.';
    }
    return words[this.error.code] ?? this.error.message;
  }
}
