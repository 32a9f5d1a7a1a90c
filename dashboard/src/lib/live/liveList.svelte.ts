import { type ApiError, asApiError } from '../api/apiError.ts';
import { live } from './live.svelte.ts';

/** Minimum time between two refreshes. */
const MIN_REFRESH_MS = 1_000;
const RETRY_MS = 5_000;

/**
 * Base of paged lists that follow live changes: only the response to the latest request counts, transient failures are
 * retried, and changes trigger at most one refresh a second. Subclasses load pages and merge new rows.
 */
export abstract class LiveList {
  error = $state.raw<ApiError>();
  isFetching = $state(false);
  /** Whether the rows belong to the previous filter, because those of this one are still loading. */
  isStale = $state(true);
  #generation = 0;
  #lastRefresh = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;

  /** Loads the list again from the top, e.g. after a failure. */
  abstract reload(): void;
  /** Whether a change of these subjects may affect the list; an empty list means that anything may have changed. */
  protected abstract isAffectedBy(subjects: readonly string[]): boolean;
  /** Loads new rows. */
  protected abstract refresh(): Promise<void>;

  /** Follows live changes. @returns a function that stops it */
  follow(): () => void {
    const stop = live.listen((subjects) => this.isAffectedBy(subjects) && this.#scheduleRefresh());
    return () => {
      stop();
      for (const timer of [this.#timer, this.#retry]) clearTimeout(timer);
      this.#timer = undefined;
      this.#generation++;
    };
  }

  #scheduleRefresh(): void {
    if (this.#timer) return;
    const wait = Math.max(0, this.#lastRefresh + MIN_REFRESH_MS - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.isFetching) return this.#scheduleRefresh();
      this.#lastRefresh = performance.now();
      // Rows of the previous filter must not be merged with those of this one.
      if (this.isStale) this.reload();
      else void this.refresh();
    }, wait);
  }

  /** Loads a page and applies it, unless another load started in the meantime. */
  protected async load<Page>(page: () => Promise<Page>, apply: (found: Page) => void): Promise<void> {
    const generation = ++this.#generation;
    clearTimeout(this.#retry);
    this.isFetching = true;
    try {
      const found = await page();
      if (generation !== this.#generation) return;
      apply(found);
      this.error = undefined;
      this.isStale = false;
    } catch (reason) {
      if (generation !== this.#generation) return;
      this.error = asApiError(reason);
      if (this.error.isTransient) this.#retry = setTimeout(() => this.reload(), RETRY_MS);
    } finally {
      if (generation === this.#generation) this.isFetching = false;
    }
  }

  /** Loads something besides the pages. @returns undefined when a page load started in the meantime */
  protected async loadBeside<Found>(fetch: () => Promise<Found>): Promise<Found | undefined> {
    const generation = this.#generation;
    const found = await fetch();
    return generation === this.#generation ? found : undefined;
  }
}
