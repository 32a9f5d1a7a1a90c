import { api, type Schemas, unwrap } from '#lib/api/client.ts';
import { LiveList } from '#lib/live/liveList.svelte.ts';
import { now } from '#lib/ui/now.svelte.ts';
import { conditionsOf, type HistoryFilter, isChangesOnly } from './historyFilter.ts';

export type Event = Schemas['HistoryEntry'];

const PAGE = 100;

/** The loaded events of a filter; new ones are added at the top. */
export class HistoryList extends LiveList {
  events = $state.raw<readonly Event[]>();
  /** Cursor of the next page; null at the end. */
  cursor = $state<string | null>(null);
  #filter: HistoryFilter | undefined;

  async show(filter: HistoryFilter): Promise<void> {
    this.#filter = filter;
    this.isStale = true;
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

  protected async refresh(): Promise<void> {
    const older = this.cursor;
    const newest = this.events?.[0]?.position ?? 0;
    await this.#loadFrom(undefined, (found, next) => {
      const fresh = found.filter(({ position }) => position > newest);
      // More than one page is new: keeping the old events would leave a gap.
      if (fresh.length === found.length && next !== null) return found;
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
