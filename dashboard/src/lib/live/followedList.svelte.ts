import { type ApiError, asApiError } from '../api/apiError.ts';
import { live } from './live.svelte.ts';

/** While things happen all the time, so often at most. */
const LOOK_EVERY_MS = 1_000;
const RETRY_MS = 5_000;

/**
 * What lists have in common that are asked for page by page and follow what happens: of several questions the last one
 * counts, a failure that passes is asked over, and changes are looked at once in a second. What a page is, where the next
 * one begins and where the new belongs is for each list to say.
 */
export abstract class FollowedList {
  error = $state.raw<ApiError>();
  isFetching = $state(false);
  /** Rows of another filter are shown, until those of this one are there. */
  isTurning = $state(true);
  #turn = 0;
  #lastLook = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;

  /** Asks anew, from the top, e.g. after a failure. */
  abstract again(): void;
  /** Whether something may have happened that belongs to the list; no subjects mean that anything may have. */
  protected abstract isConcernedBy(subjects: readonly string[]): boolean;
  /** Asks for what is new. */
  protected abstract look(): Promise<void>;

  /** Follows what happens. @returns what ends it */
  follow(): () => void {
    const stop = live.listen((subjects) => this.isConcernedBy(subjects) && this.#lookSoon());
    return () => {
      stop();
      for (const timer of [this.#timer, this.#retry]) clearTimeout(timer);
      this.#timer = undefined;
      this.#turn++;
    };
  }

  #lookSoon(): void {
    if (this.#timer) return;
    const wait = Math.max(0, this.#lastLook + LOOK_EVERY_MS - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.isFetching) return this.#lookSoon();
      this.#lastLook = performance.now();
      void this.look();
    }, wait);
  }

  /** Asks for a page, and takes it unless something else was asked for meanwhile. */
  protected async ask<Page>(page: () => Promise<Page>, take: (found: Page) => void): Promise<void> {
    const turn = ++this.#turn;
    clearTimeout(this.#retry);
    this.isFetching = true;
    try {
      const found = await page();
      if (turn !== this.#turn) return;
      take(found);
      this.error = undefined;
      this.isTurning = false;
    } catch (reason) {
      if (turn !== this.#turn) return;
      this.error = asApiError(reason);
      if (this.error.isPassing) this.#retry = setTimeout(() => this.again(), RETRY_MS);
    } finally {
      if (turn === this.#turn) this.isFetching = false;
    }
  }

  /** Asks for something beside the pages. @returns undefined when another page was asked for meanwhile */
  protected async askBeside<Found>(beside: () => Promise<Found>): Promise<Found | undefined> {
    const turn = this.#turn;
    const found = await beside();
    return turn === this.#turn ? found : undefined;
  }
}
