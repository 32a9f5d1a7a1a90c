import type { paths } from '#lib/api/openapi.d.ts';
import { type Chip, listChips, singleChip, timeChips } from '#lib/filters/chips.ts';
import { ANY_TIME, boundsOf, type Query, type TimeRange, timeRangeFrom } from '#lib/filters/timeRange.ts';

type ListQuery = NonNullable<paths['/api/request-logs']['get']['parameters']['query']>;
/** Query of the API without paging. */
export type LogConditions = Omit<ListQuery, 'limit' | 'offset'>;

/** Repeatable query parameters of the API; the URL of the page uses the same names. */
const LISTS = {
  status: 'Status',
  accountId: 'Account',
  attemptedAccountId: 'Attempted account',
  model: 'Model',
  reasoningEffort: 'Effort',
  modelOption: 'Model and effort',
} as const;
export type ListName = keyof typeof LISTS;
const NAMES = Object.keys(LISTS) as ListName[];

/** The filters in the URL of the page. */
export interface LogFilter extends TimeRange, Readonly<Record<ListName, readonly string[]>> {
  readonly search: string;
}

/** Reads the filters from a URL; ignores invalid values. */
export function filterFrom(query: Query): LogFilter {
  const lists = NAMES.map((name) => [name, [...new Set(query.getAll(name))]] as const);
  return {
    ...(Object.fromEntries(lists) as Record<ListName, string[]>),
    ...timeRangeFrom(query),
    search: query.get('search')?.trim() ?? '',
  };
}

/** Query of the API for a filter. @param now in ms since 1970, for relative time ranges */
export function conditionsOf(filter: LogFilter, now: number): LogConditions {
  return {
    ...Object.fromEntries(NAMES.filter((name) => filter[name].length > 0).map((name) => [name, [...filter[name]]])),
    ...(filter.search !== '' && { search: filter.search }),
    ...boundsOf(filter, now),
  };
}

/** Query changes that remove every filter. */
export const NO_FILTERS: Readonly<Record<string, null>> = {
  ...ANY_TIME,
  ...Object.fromEntries([...NAMES, 'search'].map((name) => [name, null])),
};

/** A chip for each active filter. */
export function chipsOf(
  filter: LogFilter,
  labels: { account: (id: string) => string; time: (iso: string) => string },
): Chip[] {
  const text: Partial<Record<ListName, (value: string) => string>> = {
    accountId: labels.account,
    attemptedAccountId: labels.account,
    reasoningEffort: effortText,
    modelOption: optionText,
  };
  return [
    ...(filter.search === '' ? [] : [singleChip('search', 'Search', filter.search)]),
    ...timeChips(filter, labels.time),
    ...NAMES.flatMap((name) => listChips(name, LISTS[name], filter[name], text[name])),
  ];
}

/** The API represents a request without an effort as an empty string. */
export const effortText = (effort: string | null): string => effort || 'default effort';

/** Formats `<model>:::<effort>`. */
export function optionText(option: string): string {
  const [model = '', effort = ''] = option.split(':::');
  return `${model}, ${effortText(effort)}`;
}
