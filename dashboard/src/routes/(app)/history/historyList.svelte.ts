import { api, type Schemas, unwrap } from '#lib/api/client.ts';
import { LiveList } from '#lib/live/liveList.svelte.ts';
import { now } from '#lib/ui/now.svelte.ts';
import { conditionsOf, type HistoryFilter, isChangesOnly } from './historyFilter.ts';

export type Event = Schemas['HistoryEntry'];

const PAGE = 100;
/** With more, a page that stays open would grow without end: the newest page is kept, and older events load when scrolled to. */
const MAX_LIVE_EVENTS = 3 * PAGE;

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
    const older = this.cursor;
    const newest = this.events?.[0]?.position ?? 0;
    await this.#loadFrom(undefined, (found, next) => {
      const fresh = found.filter(({ position }) => position > newest);
      // More than one page is new: keeping the old events would leave a gap.
      const hasGap = fresh.length === found.length && next !== null;
      if (hasGap || (fresh.length + (this.events?.length ?? 0) > MAX_LIVE_EVENTS && next !== null)) return found;
      this.cursor = older;
      return [...fresh, ...(this.events ?? [])];
    });
  }

  async #loadFrom(
    cursor: string | undefined,
    merge: (found: readonly Event[], next: string | null) => readonly Event[],
  ): Promise<void> {
    const filter = this.#filter;
    if (!filter) return;
    const query = { ...conditionsOf(filter, now.current), limit: PAGE, ...(cursor !== undefined && { cursor }) };
    await this.load(
      () => unwrap(api.GET('/api/history', { params: { query } })),
      ({ events, next_cursor }) => {
        this.cursor = next_cursor;
        this.events = merge(events, next_cursor);
      },
    );
  }
}
