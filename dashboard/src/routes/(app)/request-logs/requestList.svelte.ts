import { answerOf, api } from '#lib/api/client.ts';
import { FollowedList } from '#lib/live/followedList.svelte.ts';
import { concerns } from '#lib/live/live.svelte.ts';
import { conditionsOf, type LogFilter } from './logFilter.ts';
import { type Entry, merged } from './table.ts';

const PAGE = 100;
const FLASH_MS = 2_000;

/**
 * The rows of a filter, as far as somebody has scrolled. With the tail on, what happens is put where it belongs; with it
 * off, the list stays as it was when it was asked for, and says how much there is that it does not show.
 */
export class RequestList extends FollowedList {
  rows = $state.raw<readonly Entry[]>([]);
  /** How many there are; undefined until that is known. */
  total = $state<number>();
  /** Requests that came since, while the tail is off. */
  missed = $state(0);
  hasMore = $state(false);
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
  /** Rows at the service that are not in ours, so that a page that brought nothing new is not asked for again. */
  #hidden = 0;
  #flashing: ReturnType<typeof setTimeout> | undefined;

  /** Shows another filter, from the top. */
  async show(filter: LogFilter, isTailing: boolean): Promise<void> {
    this.#filter = filter;
    this.#isTailing = isTailing;
    this.#end = isTailing || filter.until ? undefined : new Date().toISOString();
    this.#hidden = 0;
    this.missed = 0;
    this.isTurning = true;
    await this.#askFrom(0, (found) => found);
  }

  /** The next page, when the last row comes near. */
  async more(): Promise<void> {
    if (this.isFetching || this.isTurning || !this.hasMore) return;
    await this.#askFrom(this.rows.length + this.#hidden, (found) => {
      const rows = merged(this.rows, found);
      this.#hidden = rows === this.rows ? this.#hidden + found.length : 0;
      return rows;
    });
    if (this.#hidden > 0) await this.more();
  }

  again(): void {
    if (this.#filter) void this.show(this.#filter, this.#isTailing);
  }

  override follow(): () => void {
    const stop = super.follow();
    return () => {
      stop();
      clearTimeout(this.#flashing);
    };
  }

  protected isConcernedBy(subjects: readonly string[]): boolean {
    return concerns(['request'], subjects);
  }

  protected look(): Promise<void> {
    return this.#isTailing ? this.#lookAtTop() : this.#count();
  }

  /** What is new at the top. */
  #lookAtTop(): Promise<void> {
    return this.#askFrom(0, (found, hasMore) => {
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
    const filter = this.#filter;
    if (!filter) return;
    const newest = () => this.#page(conditionsOf(filter, Date.now()), 0, 1).catch(() => ({ total: 0 }));
    const counted = await this.askBeside(newest);
    if (counted) this.missed = Math.max(0, counted.total - (this.total ?? 0));
  }

  async #askFrom(offset: number, take: (found: readonly Entry[], hasMore: boolean) => readonly Entry[]): Promise<void> {
    const filter = this.#filter;
    if (!filter) return;
    const conditions = { ...conditionsOf(filter, Date.now()), ...(this.#end && { until: this.#end }) };
    await this.ask(
      () => this.#page(conditions, offset, PAGE),
      ({ requests, total, has_more }) => {
        const before = this.rows;
        const after = take(requests, has_more);
        if (!this.isTurning && after !== before) this.onMerge(before, after);
        this.rows = after;
        this.total = total;
        this.hasMore = after.length < total && (offset === 0 || requests.length > 0);
      },
    );
  }

  #page(conditions: ReturnType<typeof conditionsOf>, offset: number, limit: number) {
    return answerOf(api.GET('/api/request-logs', { params: { query: { ...conditions, limit, offset } } }));
  }
}
