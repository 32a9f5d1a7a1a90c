import { sleep } from '../../lib/sleep.ts';

/** Lets one wait until there may be something new. */
export class AutoResetEvent {
  #waiting: AbortController | undefined;
  #isThere = false;

  set(): void {
    this.#isThere = true;
    this.#waiting?.abort();
  }

  /** Resolves at the next news, those included that came since the last time, and after `mostMs` without any. */
  async wait(mostMs: number, signal: AbortSignal): Promise<void> {
    if (!this.#isThere) {
      this.#waiting = new AbortController();
      await sleep(mostMs, AbortSignal.any([signal, this.#waiting.signal]));
      this.#waiting = undefined;
    }
    this.#isThere = false;
  }
}
