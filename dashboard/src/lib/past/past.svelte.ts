import { page } from '$app/state';
import { ApiError } from '../api/apiError.ts';
import { api, type Schemas, unwrap } from '../api/client.ts';
import { setQuery } from '../shell/query.ts';
import { now } from '../ui/now.svelte.ts';
import { toasts } from '../ui/toasts.svelte.ts';
import { atOfUrl } from './atOfUrl.ts';

type Event = Schemas['HistoryEntry'];

/** The earlier moment that all pages show, if any. */
class Past {
  /** The last event of the moment; undefined while it loads, null before the first event. */
  last = $state.raw<Event | null>();
  error = $state.raw<ApiError>();
  /** Set while leaving for now: then links lose the moment. */
  isLeaving = false;
  isChoosing = $state(false);
  #generation = 0;

  /** A position or a time; null: now. */
  get at(): string | null {
    return atOfUrl(page.url);
  }

  /** Loads what the moment is. Relative times and periods count from it. */
  async load(at: string | null): Promise<void> {
    const own = ++this.#generation;
    this.error = undefined;
    this.last = undefined;
    now.frozen = at === null ? undefined : timeOf(at);
    if (at === null) return;
    try {
      const last = await lastEventAt(at);
      if (own !== this.#generation) return;
      this.last = last;
      now.frozen ??= last ? Date.parse(last.time) : 0;
    } catch (reason) {
      if (own === this.#generation) this.error = ApiError.unreachable(reason);
    }
  }

  /** Puts every page at a moment; null returns to now. */
  async show(at: string | null, { replace = false } = {}): Promise<void> {
    this.isLeaving = at === null;
    try {
      await setQuery({ at }, { replace });
    } finally {
      this.isLeaving = false;
    }
  }

  /** Goes to the event before or after. */
  async step(by: 1 | -1): Promise<void> {
    if (this.at === null || this.last === undefined) return;
    const position = (this.last?.position ?? 0) + by;
    if (position < 0) return;
    try {
      await lastEventAt(String(position));
      await this.show(String(position), { replace: true });
    } catch (reason) {
      if (reason instanceof ApiError && reason.status === 400) toasts.good('This is the last event');
      else toasts.bad('Couldn’t load the event', reason);
    }
  }

  /** Keys of every page; not while typing. */
  readonly onkeydown = (event: KeyboardEvent): void => {
    if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
    if (event.key === 't') this.isChoosing = true;
    else if (this.at !== null && event.key === '[') void this.step(-1);
    else if (this.at !== null && event.key === ']') void this.step(1);
    else return;
    event.preventDefault();
  };
}

/** The moment at the end of a period, as `at`; the last one that exists while the period lasts. */
export const momentAtEnd = (until: string): string => new Date(Math.min(Date.parse(until), now.current)).toISOString();

/** Undefined for a position, and for text that is no time: a URL can say anything. */
function timeOf(at: string): number | undefined {
  const time = /^\d+$/.test(at) ? Number.NaN : Date.parse(at);
  return Number.isNaN(time) ? undefined : time;
}

async function lastEventAt(at: string): Promise<Event | null> {
  const { events } = await unwrap(api.GET('/api/history', { params: { query: { at, limit: 1 } } }));
  return events[0] ?? null;
}

export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

export const past = new Past();
