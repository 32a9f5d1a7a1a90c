import { answerOf, api, type Schemas } from '#lib/api/client.ts';
import { FollowedList } from '#lib/live/followedList.svelte.ts';
import { conditionsOf, type HistoryFilter, isChangesOnly } from './historyFilter.ts';

export type Event = Schemas['HistoryEntry'];

const PAGE = 100;

/** Events of a filter, as far as somebody has read; what happens is put on top. */
export class HistoryList extends FollowedList {
  events = $state.raw<readonly Event[]>();
  /** Where older ones go on; null when there are none. */
  cursor = $state<string | null>(null);
  #filter: HistoryFilter | undefined;

  async show(filter: HistoryFilter): Promise<void> {
    this.#filter = filter;
    this.isTurning = true;
    await this.#askFrom(undefined, (found) => found);
  }

  again(): void {
    if (this.#filter) void this.show(this.#filter);
  }

  /** Older ones. The service may look through many events for few that match, and says where to go on. */
  async more(): Promise<void> {
    if (this.isFetching || this.isTurning || this.cursor === null) return;
    await this.#askFrom(this.cursor, (found) => [...(this.events ?? []), ...found]);
  }

  protected isConcernedBy(subjects: readonly string[]): boolean {
    const isOther = subjects.length > 0 && subjects.every((subject) => /^(request|accountUsage)-/.test(subject));
    return !(this.#filter && isChangesOnly(this.#filter) && isOther);
  }

  protected async look(): Promise<void> {
    const older = this.cursor;
    const newest = this.events?.[0]?.position ?? 0;
    await this.#askFrom(undefined, (found, next) => {
      const fresh = found.filter(({ position }) => position > newest);
      // Too much for one page: what lies between would be missing.
      if (fresh.length === found.length && next !== null) return found;
      this.cursor = older;
      return [...fresh, ...(this.events ?? [])];
    });
  }

  async #askFrom(
    cursor: string | undefined,
    take: (found: readonly Event[], next: string | null) => readonly Event[],
  ): Promise<void> {
    const filter = this.#filter;
    if (!filter) return;
    const query = { ...conditionsOf(filter, Date.now()), limit: PAGE, ...(cursor !== undefined && { cursor }) };
    await this.ask(
      () => answerOf(api.GET('/api/history', { params: { query } })),
      ({ events, next_cursor }) => {
        this.cursor = next_cursor;
        this.events = take(events, next_cursor);
      },
    );
  }
}
