import { api, unwrap } from '#lib/api/client.ts';
import { includesKind, live } from '#lib/live/live.svelte.ts';
import { LiveList } from '#lib/live/liveList.svelte.ts';
import { now } from '#lib/ui/now.svelte.ts';
import { conditionsOf, type LogConditions, type LogFilter } from './logFilter.ts';
import { type Entry, freshRows, mergeRows } from './logRows.ts';
import { type LogSort, NEWEST_FIRST } from './logSort.ts';

const PAGE = 100;
/** The service returns what is new since a position up to so many events. */
const MAX_BEHIND = 100_000;
/** Requests leave a range like "last hour" by themselves: their number is asked for again this often. */
const RECOUNT_MS = 60_000;
const FLASH_MS = 2_000;

/**
 * The loaded rows of a filter. With the live tail on, new requests are merged in; with it off, the list stays unchanged
 * and `missed` counts the new requests.
 */
export class RequestList extends LiveList {
  rows = $state.raw<readonly Entry[]>([]);
  /** Number of matching requests; undefined until it is loaded. */
  total = $state<number>();
  /** Number of new requests while the tail is off. */
  missed = $state(0);
  hasMore = $state(false);
  /** IDs of the rows that the tail has just added. */
  fresh = $state.raw<ReadonlySet<string>>(new Set());
  /** Whether the list is scrolled down, so that the visible rows must stay in place. */
  isScrolled = false;
  /** Called before rows are merged in. */
  onMerge: (before: readonly Entry[], after: readonly Entry[]) => void = () => {};

  #filter: LogFilter | undefined;
  #sort: LogSort = NEWEST_FIRST;
  /** Position of the log up to which the list is complete. */
  #position: number | undefined;
  #countedAt = 0;
  /** End of the list while the tail is off. */
  #end: string | undefined;
  #isTailing = true;
  /** Rows of the service that were duplicates here, so that the next page starts behind them. */
  #duplicates = 0;
  #flashing: ReturnType<typeof setTimeout> | undefined;

  /** Loads another filter from the top. @param isTailing only with the newest first */
  async show(filter: LogFilter, sort: LogSort, isTailing: boolean): Promise<void> {
    this.#filter = filter;
    this.#sort = sort;
    this.#isTailing = isTailing;
    this.#end = isTailing || filter.until ? undefined : new Date().toISOString();
    this.#duplicates = 0;
    this.missed = 0;
    this.isStale = true;
    await this.#loadFrom(0, (found) => found);
  }

  /** Loads the next page. */
  async loadMore(): Promise<void> {
    if (this.isFetching || this.isStale || !this.hasMore) return;
    await this.#loadFrom(this.rows.length + this.#duplicates, (found) => {
      const fresh = freshRows(this.rows, found);
      const isSorted = this.#sort !== NEWEST_FIRST;
      const rows = isSorted && fresh.length > 0 ? [...this.rows, ...fresh] : mergeRows(this.rows, fresh);
      this.#duplicates = rows === this.rows ? this.#duplicates + found.length : 0;
      return rows;
    });
    if (this.#duplicates > 0) await this.loadMore();
  }

  reload(): void {
    if (this.#filter) void this.show(this.#filter, this.#sort, this.#isTailing);
  }

  override follow(): () => void {
    const stop = super.follow();
    return () => {
      stop();
      clearTimeout(this.#flashing);
    };
  }

  protected isAffectedBy(subjects: readonly string[]): boolean {
    return includesKind(['request'], subjects);
  }

  protected async refresh(): Promise<void> {
    const after = this.#followedFrom();
    if (after === undefined) await (this.#isTailing ? this.#loadNewest() : this.#countMissed());
    else if (this.#isTailing) await this.#loadNew(after);
    else await this.#countNew(after);
  }

  /** From where on the service can say what is new; undefined when the list must be asked for again. */
  #followedFrom(): number | undefined {
    const filter = this.#filter;
    if (filter?.search !== '' || this.#position === undefined) return undefined;
    if (live.position - this.#position > MAX_BEHIND) return undefined;
    if (this.#isTailing && filter.last !== null && performance.now() - this.#countedAt > RECOUNT_MS) return undefined;
    return this.#position;
  }

  /** Loads what is new and merges it in. */
  async #loadNew(after: number): Promise<void> {
    const filter = this.#filter as LogFilter;
    let hasGap = false;
    await this.load(
      () => this.#fetchPage({ ...conditionsOf(filter, now.current), after }, 0, PAGE),
      ({ requests, total, has_more, position }) => {
        hasGap = has_more;
        // While the list is scrolled down, its rows stay; the next refresh asks again.
        if (has_more) return;
        const fresh = freshRows(this.rows, requests);
        this.#position = position;
        this.total = (this.total ?? 0) + total;
        if (fresh.length > 0) this.#replace(mergeRows(this.rows, fresh), fresh);
      },
    );
    if (hasGap && !this.isScrolled) await this.#loadFrom(0, (found) => found);
  }

  #replace(rows: readonly Entry[], fresh: readonly Entry[]): void {
    this.#flash(fresh);
    this.onMerge(this.rows, rows);
    this.rows = rows;
  }

  async #countNew(after: number): Promise<void> {
    const conditions = { ...conditionsOf(this.#filter as LogFilter, now.current), after };
    const counted = await this.loadBeside(() => this.#fetchPage(conditions, 0, 1).catch(() => undefined));
    if (!counted) return;
    this.#position = counted.position;
    this.missed += counted.total;
  }

  /** Loads the newest page and merges it in. */
  #loadNewest(): Promise<void> {
    return this.#loadFrom(0, (found, hasMore) => {
      const fresh = freshRows(this.rows, found);
      // More than one page is new: there would be a gap between old and new rows.
      const hasGap = hasMore && this.rows.length > 0 && fresh.length === found.length;
      if (hasGap && this.isScrolled) return this.rows;
      this.#flash(fresh);
      return hasGap ? found : mergeRows(this.rows, fresh);
    });
  }

  #flash(rows: readonly Entry[]): void {
    clearTimeout(this.#flashing);
    this.fresh = new Set(rows.map(({ request_id }) => request_id));
    this.#flashing = setTimeout(() => {
      this.fresh = new Set();
    }, FLASH_MS);
  }

  async #countMissed(): Promise<void> {
    const filter = this.#filter;
    if (!filter) return;
    const newest = () => this.#fetchPage(conditionsOf(filter, now.current), 0, 1).catch(() => ({ total: 0 }));
    const counted = await this.loadBeside(newest);
    if (counted) this.missed = Math.max(0, counted.total - (this.total ?? 0));
  }

  async #loadFrom(
    offset: number,
    merge: (found: readonly Entry[], hasMore: boolean) => readonly Entry[],
  ): Promise<void> {
    const filter = this.#filter;
    if (!filter) return;
    const conditions = { ...conditionsOf(filter, now.current), ...(this.#end && { until: this.#end }) };
    const first = offset === 0 && { with_position: 'true' as const };
    await this.load(
      () => this.#fetchPage({ ...conditions, sort: this.#sort, ...first }, offset, PAGE),
      ({ requests, total, has_more, position }) => {
        if (position !== undefined) {
          this.#position = position;
          this.#countedAt = performance.now();
        }
        const before = this.rows;
        const after = merge(requests, has_more);
        if (!this.isStale && after !== before) this.onMerge(before, after);
        this.rows = after;
        this.total = total;
        this.hasMore = after.length < total && (offset === 0 || requests.length > 0);
      },
    );
  }

  #fetchPage(conditions: LogConditions, offset: number, limit: number) {
    return unwrap(api.GET('/api/request-logs', { params: { query: { ...conditions, limit, offset } } }));
  }
}
