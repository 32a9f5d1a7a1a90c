import { onDestroy } from 'svelte';
import { type ApiError, asApiError } from '../api/apiError.ts';
import { concerns, type Kind, live } from './live.svelte.ts';

/** Shown at once when somebody comes back to a page, and asked for anew. Gone with the session, and with the page. */
const kept = new Map<string, unknown>();
export const forgetEverything = (): void => kept.clear();

export interface ResourceOptions {
  /** What its value hangs on: whenever one of these changes it is asked for again. */
  readonly on?: readonly Kind[];
  /** For what no event tells, such as cool-downs. Only while somebody looks. */
  readonly everyMs?: number;
  /** At most so often, however much changes; half a second unless told otherwise. */
  readonly leastBetweenMs?: number;
}

/**
 * Something of the service that a page shows: it is there at once if it was shown before, is asked for at the start and
 * whenever it changes, and stays as it was while that goes on or fails. Ask for it while a component is made.
 *
 *     const accounts = resource('accounts', () => answerOf(api.GET('/api/accounts')), { on: ['account'] });
 *     {#if accounts.data} ... {:else if accounts.error} <ErrorPanel ... /> {:else} <Skeleton /> {/if}
 */
export function resource<Data>(
  name: string,
  ask: () => Promise<Data>,
  { on = [], everyMs, leastBetweenMs }: ResourceOptions = {},
): Resource<Data> {
  const made = new Resource<Data>(name, ask, leastBetweenMs);
  const stop = on.length > 0 ? live.listen((subjects) => concerns(on, subjects) && void made.reload()) : () => {};
  const timer = everyMs === undefined ? undefined : setInterval(() => !document.hidden && void made.reload(), everyMs);
  onDestroy(() => {
    stop();
    clearInterval(timer);
    made.stop();
  });
  void made.reload();
  return made;
}

const MIN_BETWEEN_MS = 500;
const RETRY_MS = 5_000;

export class Resource<Data> {
  data = $state.raw<Data | undefined>(undefined);
  error = $state.raw<ApiError | undefined>(undefined);
  isLoading = $state(false);
  readonly #name: string;
  #ask: () => Promise<Data>;
  #isStopped = false;
  #turn = 0;
  #again: ReturnType<typeof setTimeout> | undefined;
  #lastBegun = 0;
  readonly #leastBetweenMs: number;

  constructor(name: string, ask: () => Promise<Data>, leastBetweenMs = MIN_BETWEEN_MS) {
    this.#leastBetweenMs = leastBetweenMs;
    this.#name = name;
    this.#ask = ask;
    this.data = kept.get(name) as Data | undefined;
  }

  /** Asks now, or in a moment when it has just been asked. */
  async reload(): Promise<void> {
    const wait = this.#lastBegun + this.#leastBetweenMs - performance.now();
    if (this.#lastBegun > 0 && wait > 0) {
      this.#again ??= setTimeout(() => void this.now(), wait);
      return;
    }
    await this.now();
  }

  /** Asks now, e.g. after a change of one's own. What was asked before no longer counts. */
  async now(): Promise<void> {
    if (this.#isStopped) return;
    clearTimeout(this.#again);
    this.#again = undefined;
    this.#lastBegun = performance.now();
    const turn = ++this.#turn;
    this.isLoading = true;
    try {
      const data = await this.#ask();
      if (turn !== this.#turn || this.#isStopped) return;
      kept.set(this.#name, data);
      this.data = data;
      this.error = undefined;
    } catch (reason) {
      if (turn !== this.#turn || this.#isStopped) return;
      this.error = asApiError(reason);
      if (this.error.isPassing) this.#again = setTimeout(() => void this.now(), RETRY_MS);
    } finally {
      if (turn === this.#turn) this.isLoading = false;
    }
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#again);
  }
}
