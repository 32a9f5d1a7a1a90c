/** Stretches of time that move with the clock: `last=24h` in a URL. */
export const STRETCHES = [
  { value: '15m', label: 'Last 15 minutes', ms: 15 * 60_000 },
  { value: '1h', label: 'Last hour', ms: 3_600_000 },
  { value: '24h', label: 'Last 24 hours', ms: 86_400_000 },
  { value: '7d', label: 'Last 7 days', ms: 7 * 86_400_000 },
  { value: '30d', label: 'Last 30 days', ms: 30 * 86_400_000 },
] as const;
export type Stretch = (typeof STRETCHES)[number]['value'];

/** What a list is narrowed to: a stretch, or fixed ends in ISO 8601. */
export interface TimeRange {
  readonly last: Stretch | null;
  readonly since: string | null;
  readonly until: string | null;
}

/** What takes the time out of the query of a URL. */
export const ANY_TIME = { last: null, since: null, until: null } as const satisfies TimeRange;

/** What a page can read of the query of its URL. */
export type Query = Pick<URLSearchParams, 'get' | 'getAll'>;

/** Reads `last` or `since` and `until`; what makes no sense is left out. */
export function timeRangeFrom(query: Query): TimeRange {
  const last = STRETCHES.find(({ value }) => value === query.get('last'))?.value ?? null;
  if (last) return { ...ANY_TIME, last };
  return { last, since: momentFrom(query.get('since')), until: momentFrom(query.get('until')) };
}

/** @returns ISO 8601 in UTC, null for what is no time */
export function momentFrom(text: string | null): string | null {
  const ms = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

/** First and last moment for the API, as seen at `now`. */
export function boundsOf({ last, since, until }: TimeRange, now: number): { since?: string; until?: string } {
  const stretch = STRETCHES.find(({ value }) => value === last);
  // Whole minutes: who asks again within one asks the same.
  const from = stretch ? new Date(Math.floor((now - stretch.ms) / 60_000) * 60_000).toISOString() : since;
  return { ...(from !== null && { since: from }), ...(until !== null && { until }) };
}

/** For `<input type="datetime-local">`: the time on the wall of the viewer, to the second. */
export function wallTime(iso: string | null): string {
  const ms = iso === null ? Number.NaN : Date.parse(iso);
  if (Number.isNaN(ms)) return '';
  const date = new Date(ms);
  return new Date(ms - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
