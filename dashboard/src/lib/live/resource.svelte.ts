import { onDestroy } from 'svelte';
import { type ApiError, asApiError } from '../api/apiError.ts';
import { includesKind, type Kind, live } from './live.svelte.ts';

/** Last value by name: shown immediately when the operator returns to a page. Cleared when the session ends. */
const cache = new Map<string, unknown>();
export const clearResourceCache = (): void => cache.clear();

export interface ResourceOptions {
  /** Kinds of subjects whose changes trigger a reload. */
  readonly on?: readonly Kind[];
  /** Polling interval for changes without an event, such as cool-downs. Paused while the tab is hidden. */
  readonly everyMs?: number;
  /** Minimum time between two reloads; 500 ms by default. */
  readonly minIntervalMs?: number;
}

/**
 * Data of the service that a page shows. It starts with the cached value, loads at once and after each change, and keeps
 * the last value while a reload runs or fails. Call it while a component initialises.
 *
 *     const accounts = resource('accounts', () => unwrap(api.GET('/api/accounts')), { on: ['account'] });
 *     {#if accounts.data} ... {:else if accounts.error} <ErrorPanel ... /> {:else} <Skeleton /> {/if}
 */
export function resource<Data>(
  name: string,
  load: () => Promise<Data>,
  { on = [], everyMs, minIntervalMs }: ResourceOptions = {},
): Resource<Data> {
  const created = new Resource<Data>(name, load, minIntervalMs);
  const stop =
    on.length > 0 ? live.listen((subjects) => includesKind(on, subjects) && void created.reload()) : () => {};
  const timer =
    everyMs === undefined ? undefined : setInterval(() => !document.hidden && void created.reload(), everyMs);
  onDestroy(() => {
    stop();
    clearInterval(timer);
    created.stop();
  });
  void created.reload();
  return created;
}

const MIN_BETWEEN_MS = 500;
const RETRY_MS = 5_000;

export class Resource<Data> {
  data = $state.raw<Data | undefined>(undefined);
  error = $state.raw<ApiError | undefined>(undefined);
  isLoading = $state(false);
  readonly #name: string;
  #load: () => Promise<Data>;
  #isStopped = false;
  #generation = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastStart = 0;
  readonly #minIntervalMs: number;

  constructor(name: string, load: () => Promise<Data>, minIntervalMs = MIN_BETWEEN_MS) {
    this.#minIntervalMs = minIntervalMs;
    this.#name = name;
    this.#load = load;
    this.data = cache.get(name) as Data | undefined;
  }

  /** Loads now, or after `minIntervalMs` since the last load. */
  async reload(): Promise<void> {
    const wait = this.#lastStart + this.#minIntervalMs - performance.now();
    if (this.#lastStart > 0 && wait > 0) {
      this.#timer ??= setTimeout(() => void this.reloadNow(), wait);
      return;
    }
    await this.reloadNow();
  }

  /** Loads now, e.g. after a change made here. Responses to earlier loads are dropped. */
  async reloadNow(): Promise<void> {
    if (this.#isStopped) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#lastStart = performance.now();
    const generation = ++this.#generation;
    this.isLoading = true;
    try {
      const data = await this.#load();
      if (generation !== this.#generation || this.#isStopped) return;
      cache.set(this.#name, data);
      this.data = data;
      this.error = undefined;
    } catch (reason) {
      if (generation !== this.#generation || this.#isStopped) return;
      this.error = asApiError(reason);
      if (this.error.isTransient) this.#timer = setTimeout(() => void this.reloadNow(), RETRY_MS);
    } finally {
      if (generation === this.#generation) this.isLoading = false;
    }
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
