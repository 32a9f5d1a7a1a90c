import { api, type Schemas, unwrap } from '#lib/api/client.ts';
import { live } from '#lib/live/live.svelte.ts';
import { LiveList } from '#lib/live/liveList.svelte.ts';
import { now } from '#lib/ui/now.svelte.ts';
import { conditionsOf, type HistoryFilter, isChangesOnly, type ListQuery } from './historyFilter.ts';

export type Event = Schemas['HistoryEntry'];

const PAGE = 100;
/** With more, a page that stays open would grow without end: the newest page is kept, and older events load when scrolled to. */
const MAX_LIVE_EVENTS = 3 * PAGE;
/** The service returns what is new since a position up to so many events. */
const MAX_BEHIND = 100_000;

/** The loaded events of a filter. New ones are added at the top, unless the list is scrolled down: then they wait. */
export class HistoryList extends LiveList {
  events = $state.raw<readonly Event[]>();
  /** Cursor of the next page; null at the end. */
  cursor = $state<string | null>(null);
  /** Whether there are newer events than those loaded. */
  hasNewer = $state(false);
  /** Whether the list is scrolled down, so that the visible events must stay in place. */
  isScrolled = false;
  #filter: HistoryFilter | undefined;
  /** Position of the log up to which the list is complete. */
  #position = 0;

  async show(filter: HistoryFilter): Promise<void> {
    this.#filter = filter;
    this.isStale = true;
    this.hasNewer = false;
    await this.#loadFrom(undefined, (found) => found);
  }

  reload(): void {
    if (this.#filter) void this.show(this.#filter);
  }

  /** Loads older events. A page may hold few events, since the service stops after scanning a bounded number. */
  async loadMore(): Promise<void> {
    if (this.isFetching || this.isStale || this.cursor === null) return;
    await this.#loadFrom(this.cursor, (found) => [...(this.events ?? []), ...found]);
  }

  protected isAffectedBy(subjects: readonly string[]): boolean {
    const isHidden = subjects.length > 0 && subjects.every((subject) => /^(request|accountUsage)-/.test(subject));
    return !(this.#filter && isChangesOnly(this.#filter) && isHidden);
  }

  /** Loads the events that waited, for example when the list is scrolled back to its top. */
  async showNewer(): Promise<void> {
    if (!this.hasNewer || this.isFetching || this.isStale) return;
    await this.refresh();
  }

  protected async refresh(): Promise<void> {
    this.hasNewer = this.isScrolled;
    if (this.isScrolled) return;
    const filter = this.#filter;
    if (!filter || live.position - this.#position > MAX_BEHIND) return this.reload();
    let isTooLong = false;
    await this.load(
      () => this.#fetchPage(filter, { after: this.#position }),
      ({ events, next_cursor, position }) => {
        const all = [...events, ...(this.events ?? [])];
        // More than one page is new: keeping the old events would leave a gap.
        isTooLong = next_cursor !== null || (all.length > MAX_LIVE_EVENTS && this.cursor !== null);
        if (isTooLong) return;
        this.#position = position ?? this.#position;
        if (events.length > 0) this.events = all;
      },
    );
    if (isTooLong) await this.#loadFrom(undefined, (found) => found);
  }

  async #loadFrom(cursor: string | undefined, merge: (found: readonly Event[]) => readonly Event[]): Promise<void> {
    const filter = this.#filter;
    if (!filter) return;
    await this.load(
      () => this.#fetchPage(filter, cursor === undefined ? { with_position: 'true' } : { cursor }),
      ({ events, next_cursor, position }) => {
        this.#position = position ?? this.#position;
        this.cursor = next_cursor;
        this.events = merge(events);
      },
    );
  }

  #fetchPage(filter: HistoryFilter, part: Pick<ListQuery, 'after' | 'cursor' | 'with_position'>) {
    const query = { ...conditionsOf(filter, now.current), limit: PAGE, ...part };
    return unwrap(api.GET('/api/history', { params: { query } }));
  }
}
