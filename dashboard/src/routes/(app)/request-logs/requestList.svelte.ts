import { api, unwrap } from '#lib/api/client.ts';
import { includesKind } from '#lib/live/live.svelte.ts';
import { LiveList } from '#lib/live/liveList.svelte.ts';
import { now } from '#lib/ui/now.svelte.ts';
import { conditionsOf, type LogFilter } from './logFilter.ts';
import { type Entry, mergeRows } from './logRows.ts';

const PAGE = 100;
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
  /** End of the list while the tail is off. */
  #end: string | undefined;
  #isTailing = true;
  /** Rows of the service that were duplicates here, so that the next page starts behind them. */
  #duplicates = 0;
  #flashing: ReturnType<typeof setTimeout> | undefined;

  /** Loads another filter from the top. */
  async show(filter: LogFilter, isTailing: boolean): Promise<void> {
    this.#filter = filter;
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
      const rows = mergeRows(this.rows, found);
      this.#duplicates = rows === this.rows ? this.#duplicates + found.length : 0;
      return rows;
    });
    if (this.#duplicates > 0) await this.loadMore();
  }

  reload(): void {
    if (this.#filter) void this.show(this.#filter, this.#isTailing);
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

  protected refresh(): Promise<void> {
    return this.#isTailing ? this.#loadNewest() : this.#countMissed();
  }

  /** Loads the newest page and merges it in. */
  #loadNewest(): Promise<void> {
    return this.#loadFrom(0, (found, hasMore) => {
      const known = new Set(this.rows.map(({ request_id }) => request_id));
      const fresh = found.filter(({ request_id }) => !known.has(request_id));
      // More than one page is new: there would be a gap between old and new rows.
      const hasGap = hasMore && known.size > 0 && fresh.length === found.length;
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
    await this.load(
      () => this.#fetchPage(conditions, offset, PAGE),
      ({ requests, total, has_more }) => {
        const before = this.rows;
        const after = merge(requests, has_more);
        if (!this.isStale && after !== before) this.onMerge(before, after);
        this.rows = after;
        this.total = total;
        this.hasMore = after.length < total && (offset === 0 || requests.length > 0);
      },
    );
  }

  #fetchPage(conditions: ReturnType<typeof conditionsOf>, offset: number, limit: number) {
    return unwrap(api.GET('/api/request-logs', { params: { query: { ...conditions, limit, offset } } }));
  }
}
