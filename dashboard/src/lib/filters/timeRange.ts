/** Relative time ranges: `last=24h` in a URL. */
export const TIME_PRESETS = [
  { value: '15m', label: 'Last 15 minutes', ms: 15 * 60_000 },
  { value: '1h', label: 'Last hour', ms: 3_600_000 },
  { value: '24h', label: 'Last 24 hours', ms: 86_400_000 },
  { value: '7d', label: 'Last 7 days', ms: 7 * 86_400_000 },
  { value: '30d', label: 'Last 30 days', ms: 30 * 86_400_000 },
  { value: '90d', label: 'Last 90 days', ms: 90 * 86_400_000 },
] as const;
export type TimePreset = (typeof TIME_PRESETS)[number]['value'];

/** A preset, or fixed ends in ISO 8601. */
export interface TimeRange {
  readonly last: TimePreset | null;
  readonly since: string | null;
  readonly until: string | null;
}

/** Query changes that remove the time filter. */
export const ANY_TIME = { last: null, since: null, until: null } as const satisfies TimeRange;

/** The part of URLSearchParams that reading a filter needs. */
export type Query = Pick<URLSearchParams, 'get' | 'getAll'>;

/** Reads `last` or `since` and `until`; ignores invalid values. */
export function timeRangeFrom(query: Query): TimeRange {
  const last = TIME_PRESETS.find(({ value }) => value === query.get('last'))?.value ?? null;
  if (last) return { ...ANY_TIME, last };
  return { last, since: momentFrom(query.get('since')), until: momentFrom(query.get('until')) };
}

/** @returns ISO 8601 in UTC, null when the text is not a time */
export function momentFrom(text: string | null): string | null {
  const ms = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

/** Bounds for the API; a preset counts back from `now`, in ms since 1970. */
export function boundsOf({ last, since, until }: TimeRange, now: number): { since?: string; until?: string } {
  const preset = TIME_PRESETS.find(({ value }) => value === last);
  // Rounded down to whole minutes, so that repeated requests within a minute are identical.
  const from = preset ? new Date(Math.floor((now - preset.ms) / 60_000) * 60_000).toISOString() : since;
  return { ...(from !== null && { since: from }), ...(until !== null && { until }) };
}

/** For `<input type="datetime-local">`: local time, to the second. */
export function wallTime(iso: string | null): string {
  const ms = iso === null ? Number.NaN : Date.parse(iso);
  if (Number.isNaN(ms)) return '';
  const date = new Date(ms);
  return new Date(ms - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
