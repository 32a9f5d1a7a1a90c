import { sleep } from '../../lib/sleep.ts';

/** An auto-reset event: `set` wakes the waiting task, or lets the next `wait` return at once. */
export class AutoResetEvent {
  #waiting: AbortController | undefined;
  #isSet = false;

  set(): void {
    this.#isSet = true;
    this.#waiting?.abort();
  }

  /** Resolves when the event is set, also if it was set since the last wait, or after `timeoutMs`. */
  async wait(timeoutMs: number, signal: AbortSignal): Promise<void> {
    if (!this.#isSet) {
      this.#waiting = new AbortController();
      await sleep(timeoutMs, AbortSignal.any([signal, this.#waiting.signal]));
      this.#waiting = undefined;
    }
    this.#isSet = false;
  }
}
