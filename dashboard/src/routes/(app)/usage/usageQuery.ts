import type { paths } from '#lib/api/openapi.d.ts';
import { momentFrom, type Query } from '#lib/filters/timeRange.ts';
import { conditionsOf, filterFrom, type ListName, type LogFilter } from '../request-logs/logFilter.ts';
import { isMetric, type MetricName } from './metrics.ts';

type ApiQuery = NonNullable<paths['/api/usage/breakdown']['get']['parameters']['query']>;
export type Grouping = NonNullable<ApiQuery['group_by']>;

/** What requests are grouped by, with the filter of the request log that selects one group. */
export const GROUPINGS: readonly {
  readonly value: Grouping;
  readonly label: string;
  readonly filter: ListName;
  /** Whether that filter can select requests without. */
  readonly canBeNone: boolean;
}[] = [
  { value: 'key', label: 'API key', filter: 'apiKeyId', canBeNone: true },
  { value: 'owner', label: 'Owner', filter: 'owner', canBeNone: true },
  { value: 'team', label: 'Team', filter: 'team', canBeNone: true },
  { value: 'account', label: 'Account', filter: 'accountId', canBeNone: false },
  { value: 'model', label: 'Model', filter: 'model', canBeNone: false },
  { value: 'effort', label: 'Reasoning effort', filter: 'reasoningEffort', canBeNone: true },
  { value: 'status', label: 'Status', filter: 'status', canBeNone: false },
  { value: 'error', label: 'Error', filter: 'errorCode', canBeNone: true },
  { value: 'client', label: 'Client', filter: 'client', canBeNone: true },
  { value: 'transport', label: 'Transport', filter: 'transport', canBeNone: false },
];

export const RANGES = [
  { name: '24h', title: '24 h', long: '24 hours', days: 1 },
  { name: '7d', title: '7 days', long: '7 days', days: 7 },
  { name: '30d', title: '30 days', long: '30 days', days: 30 },
  { name: '90d', title: '90 days', long: '90 days', days: 90 },
] as const;
export type RangeName = (typeof RANGES)[number]['name'];
const DEFAULT_RANGE: RangeName = '7d';

export const COLUMNS = [
  'label',
  'requests',
  'errors',
  'input',
  'cached',
  'output',
  'cost',
  'first',
  'p50',
  'p95',
  'speed',
] as const;
export type Column = (typeof COLUMNS)[number];

/** What the URL of the page asks for. */
export interface UsageQuery {
  readonly by: Grouping;
  readonly metric: MetricName;
  readonly sort: Column;
  readonly isAscending: boolean;
  /** A preset, or null for fixed ends in ISO 8601. */
  readonly last: RangeName | null;
  readonly since: string | null;
  readonly until: string | null;
  readonly filter: LogFilter;
}

/** Reads a URL; ignores invalid values. @param groupings those that the viewer may use */
export function usageQueryFrom(query: Query, groupings: readonly Grouping[]): UsageQuery {
  const [since, until] = [momentFrom(query.get('since')), momentFrom(query.get('until'))];
  const preset = RANGES.find(({ name }) => name === query.get('last'))?.name;
  const isFixed = preset === undefined && (since !== null || until !== null);
  const metric = query.get('show');
  const sort = COLUMNS.find((column) => column === query.get('sort')) ?? 'cost';
  return {
    by: groupings.find((grouping) => grouping === query.get('by')) ?? 'key',
    metric: isMetric(metric) ? metric : 'cost',
    sort,
    isAscending: query.get('order') === 'asc',
    last: isFixed ? null : (preset ?? DEFAULT_RANGE),
    since: isFixed ? since : null,
    until: isFixed ? until : null,
    filter: filterFrom(query),
  };
}

/** The time that a query covers. */
export interface Span {
  readonly since: string;
  /** Inclusive; undefined: until now. */
  readonly until: string | undefined;
  readonly interval: 'hour' | 'day' | 'month';
  /** The same part of the period before. */
  readonly before: { readonly since: string; readonly until: string };
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const iso = (ms: number) => new Date(ms).toISOString();

/**
 * Presets begin with an hour or a day of the viewer's time zone and end now, so that the last of their steps is today or
 * this hour. The period before is compared up to the same moment of it (docs/decisions/0095-usage-page.md).
 * @param now in ms since 1970
 */
export function spanOf({ last, since, until }: Pick<UsageQuery, 'last' | 'since' | 'until'>, now: number): Span {
  const range = RANGES.find(({ name }) => name === last);
  if (range) {
    const from = new Date(now);
    if (range.days === 1) {
      from.setMinutes(0, 0, 0);
      from.setTime(from.getTime() - 23 * HOUR);
    } else {
      from.setHours(0, 0, 0, 0);
      from.setDate(from.getDate() - range.days + 1);
    }
    const before = { since: iso(daysBefore(from.getTime(), range.days)), until: iso(daysBefore(now, range.days)) };
    return { since: from.toISOString(), until: undefined, interval: range.days === 1 ? 'hour' : 'day', before };
  }
  const end = until === null ? now : Date.parse(until);
  const from = since === null ? end - 7 * DAY : Date.parse(since);
  const length = end - from;
  return {
    since: iso(from),
    until: until ?? undefined,
    interval: length <= 2 * DAY ? 'hour' : length <= 190 * DAY ? 'day' : 'month',
    before: { since: iso(from - length - 1), until: iso(from - 1) },
  };
}

/** The same wall clock time some days before. */
function daysBefore(ms: number, days: number): number {
  const date = new Date(ms);
  date.setDate(date.getDate() - days);
  return date.getTime();
}

/** Query of the API for both periods. */
export function apiQueries({ by, filter }: UsageQuery, span: Span): { current: ApiQuery; before: ApiQuery } {
  const { search: _, since: __, until: ___, ...lists } = conditionsOf({ ...filter, last: null }, 0);
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const all = { group_by: by, time_zone: timeZone, ...lists };
  const { since, until, interval, before } = span;
  return {
    current: { ...all, interval, since, ...(until !== undefined && { until }) },
    // Only its sums are shown.
    before: { ...all, interval: 'month', ...before },
  };
}

/** Start of the step of the viewer's time zone that a moment is in, in ms since 1970. */
export function startOfStep(ms: number, interval: Span['interval']): number {
  const date = new Date(ms);
  if (interval === 'hour') date.setMinutes(0, 0, 0);
  else date.setHours(0, 0, 0, 0);
  if (interval === 'month') date.setDate(1);
  return date.getTime();
}

/** Start of the step after, in ms since 1970. @param start start of a step */
export function endOfStep(start: number, interval: Span['interval']): number {
  if (interval === 'hour') return start + HOUR;
  const date = new Date(start);
  if (interval === 'day') date.setDate(date.getDate() + 1);
  else date.setMonth(date.getMonth() + 1);
  return date.getTime();
}

/**
 * Link to the requests of a group, or of all.
 * @param group its id; undefined: of all groups
 * @returns undefined when no filter selects the group
 */
export function requestsHref(
  { by, filter }: UsageQuery,
  span: { readonly since: string; readonly until: string | undefined },
  group?: string | null,
): string | undefined {
  const grouping = GROUPINGS.find(({ value }) => value === by);
  if (!grouping || (group === null && !grouping.canBeNone)) return undefined;
  const { search: _, since: __, until: ___, ...lists } = conditionsOf({ ...filter, last: null }, 0);
  const query = new URLSearchParams();
  const chosen: Readonly<Record<string, unknown>> =
    group === undefined ? lists : { ...lists, [grouping.filter]: [group ?? ''] };
  for (const [name, values] of Object.entries(chosen))
    for (const value of values as string[]) query.append(name, value);
  query.set('since', span.since);
  if (span.until !== undefined) query.set('until', span.until);
  return `/request-logs?${query}`;
}
