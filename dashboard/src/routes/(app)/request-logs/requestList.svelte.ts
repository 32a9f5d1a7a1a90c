import { type ApiError, asApiError } from '#lib/api/apiError.ts';
import { answerOf, api } from '#lib/api/client.ts';
import { concerns, live } from '#lib/live/live.svelte.ts';
import { conditionsOf, type LogFilter } from './logFilter.ts';
import { type Entry, merged } from './table.ts';

const PAGE = 100;
/** While requests come in all the time, so often at most. */
const TAIL_EVERY_MS = 1_000;
const FLASH_MS = 2_000;
const RETRY_MS = 5_000;

/**
 * The rows of a filter, as far as somebody has scrolled. With the tail on, what happens is put where it belongs; with it
 * off, the list stays as it was when it was asked for, and says how much there is that it does not show.
 */
export class RequestList {
  rows = $state.raw<readonly Entry[]>([]);
  /** How many there are; undefined until that is known. */
  total = $state<number>();
  /** Requests that came since, while the tail is off. */
  missed = $state(0);
  error = $state.raw<ApiError>();
  /** Rows of another filter are shown, until those of this one are there. */
  isTurning = $state(true);
  hasMore = $state(false);
  isFetching = $state(false);
  /** What the tail brought a moment ago. */
  fresh = $state.raw<ReadonlySet<string>>(new Set());
  /** Somebody reads further down: what they look at stays where it is. */
  isHeld = false;
  /** Told before rows are put in front of others. */
  onMerge: (before: readonly Entry[], after: readonly Entry[]) => void = () => {};

  #filter: LogFilter | undefined;
  /** While the tail is off: nothing that came later belongs to the list. */
  #end: string | undefined;
  #isTailing = true;
  #turn = 0;
  /** Rows at the service that are not in ours, so that a page that brought nothing new is not asked for again. */
  #hidden = 0;
  #lastLook = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #flashing: ReturnType<typeof setTimeout> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;

  /** Shows another filter, from the top. */
  async show(filter: LogFilter, isTailing: boolean): Promise<void> {
    this.#filter = filter;
    this.#isTailing = isTailing;
    this.#end = isTailing || filter.until ? undefined : new Date().toISOString();
    this.#hidden = 0;
    this.missed = 0;
    this.isTurning = true;
    await this.#ask(0, (found) => found);
  }

  /** The next page, when the last row comes near. */
  async more(): Promise<void> {
    if (this.isFetching || this.isTurning || !this.hasMore) return;
    await this.#ask(this.rows.length + this.#hidden, (found) => {
      const rows = merged(this.rows, found);
      this.#hidden = rows === this.rows ? this.#hidden + found.length : 0;
      return rows;
    });
    if (this.#hidden > 0) await this.more();
  }

  /** Asks anew, e.g. after a failure. */
  again(): void {
    if (this.#filter) void this.show(this.#filter, this.#isTailing);
  }

  /** Follows what happens. @returns what ends it */
  follow(): () => void {
    const stop = live.listen((subjects) => concerns(['request'], subjects) && this.#lookSoon());
    return () => {
      stop();
      for (const timer of [this.#timer, this.#flashing, this.#retry]) clearTimeout(timer);
      this.#timer = undefined;
      this.#turn++;
    };
  }

  #lookSoon(): void {
    if (this.#timer) return;
    const wait = Math.max(0, this.#lastLook + TAIL_EVERY_MS - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.isFetching) return this.#lookSoon();
      this.#lastLook = performance.now();
      void (this.#isTailing ? this.#look() : this.#count());
    }, wait);
  }

  /** What is new at the top. */
  #look(): Promise<void> {
    return this.#ask(0, (found, hasMore) => {
      const known = new Set(this.rows.map(({ request_id }) => request_id));
      const fresh = found.filter(({ request_id }) => !known.has(request_id));
      // So much happened that there would be a gap between what is known and what is new.
      const isTorn = hasMore && known.size > 0 && fresh.length === found.length;
      if (isTorn && this.isHeld) return this.rows;
      this.#flash(fresh);
      return isTorn ? found : merged(this.rows, fresh);
    });
  }

  #flash(rows: readonly Entry[]): void {
    clearTimeout(this.#flashing);
    this.fresh = new Set(rows.map(({ request_id }) => request_id));
    this.#flashing = setTimeout(() => {
      this.fresh = new Set();
    }, FLASH_MS);
  }

  async #count(): Promise<void> {
    const turn = this.#turn;
    const filter = this.#filter;
    if (!filter) return;
    const { total } = await this.#page(conditionsOf(filter, Date.now()), 0, 1).catch(() => ({ total: 0 }));
    if (turn === this.#turn) this.missed = Math.max(0, total - (this.total ?? 0));
  }

  async #ask(offset: number, take: (found: readonly Entry[], hasMore: boolean) => readonly Entry[]): Promise<void> {
    const filter = this.#filter;
    if (!filter) return;
    const turn = ++this.#turn;
    clearTimeout(this.#retry);
    this.isFetching = true;
    try {
      const conditions = { ...conditionsOf(filter, Date.now()), ...(this.#end && { until: this.#end }) };
      const { requests, total, has_more } = await this.#page(conditions, offset, PAGE);
      if (turn !== this.#turn) return;
      const before = this.rows;
      const after = take(requests, has_more);
      if (!this.isTurning && after !== before) this.onMerge(before, after);
      this.rows = after;
      this.total = total;
      this.hasMore = after.length < total && (offset === 0 || requests.length > 0);
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

  #page(conditions: ReturnType<typeof conditionsOf>, offset: number, limit: number) {
    return answerOf(api.GET('/api/request-logs', { params: { query: { ...conditions, limit, offset } } }));
  }
}
