import { type ApiError, asApiError } from '#lib/api/apiError.ts';
import { answerOf, api, type Schemas } from '#lib/api/client.ts';
import { live } from '#lib/live/live.svelte.ts';
import { conditionsOf, type HistoryFilter, isChangesOnly } from './historyFilter.ts';

export type Event = Schemas['HistoryEntry'];

const PAGE = 100;
const LOOK_EVERY_MS = 1_000;
const RETRY_MS = 5_000;

/** Events of a filter, as far as somebody has read; what happens is put on top. */
export class HistoryList {
  events = $state.raw<readonly Event[]>();
  /** Where older ones go on; null when there are none. */
  cursor = $state<string | null>(null);
  error = $state.raw<ApiError>();
  isFetching = $state(false);
  isTurning = $state(true);
  #filter: HistoryFilter | undefined;
  #turn = 0;
  #lastLook = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;

  async show(filter: HistoryFilter): Promise<void> {
    this.#filter = filter;
    this.isTurning = true;
    await this.#ask(undefined, (found) => found);
  }

  again(): void {
    if (this.#filter) void this.show(this.#filter);
  }

  /** Older ones. The service may look through many events for few that match, and says where to go on. */
  async more(): Promise<void> {
    if (this.isFetching || this.isTurning || this.cursor === null) return;
    await this.#ask(this.cursor, (found) => [...(this.events ?? []), ...found]);
  }

  /** Follows what happens. @returns what ends it */
  follow(): () => void {
    const stop = live.listen((subjects) => {
      const isOther = subjects.length > 0 && subjects.every((subject) => /^(request|accountUsage)-/.test(subject));
      if (this.#filter && isChangesOnly(this.#filter) && isOther) return;
      this.#lookSoon();
    });
    return () => {
      stop();
      for (const timer of [this.#timer, this.#retry]) clearTimeout(timer);
      this.#timer = undefined;
      this.#turn++;
    };
  }

  #lookSoon(): void {
    if (this.#timer) return;
    const wait = Math.max(0, this.#lastLook + LOOK_EVERY_MS - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.isFetching) return this.#lookSoon();
      this.#lastLook = performance.now();
      void this.#look();
    }, wait);
  }

  async #look(): Promise<void> {
    const older = this.cursor;
    const newest = this.events?.[0]?.position ?? 0;
    await this.#ask(undefined, (found, next) => {
      const fresh = found.filter(({ position }) => position > newest);
      // Too much for one page: what lies between would be missing.
      if (fresh.length === found.length && next !== null) return found;
      this.cursor = older;
      return [...fresh, ...(this.events ?? [])];
    });
  }

  async #ask(
    cursor: string | undefined,
    take: (found: readonly Event[], next: string | null) => readonly Event[],
  ): Promise<void> {
    const filter = this.#filter;
    if (!filter) return;
    const turn = ++this.#turn;
    clearTimeout(this.#retry);
    this.isFetching = true;
    try {
      const query = { ...conditionsOf(filter, Date.now()), limit: PAGE, ...(cursor !== undefined && { cursor }) };
      const { events, next_cursor } = await answerOf(api.GET('/api/history', { params: { query } }));
      if (turn !== this.#turn) return;
      this.cursor = next_cursor;
      this.events = take(events, next_cursor);
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
}
