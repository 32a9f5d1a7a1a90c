import type { paths } from '#lib/api/openapi.d.ts';
import { type Chip, listChips, singleChip, timeChips } from '#lib/filters/chips.ts';
import { ANY_TIME, boundsOf, type Query, type TimeRange, timeRangeFrom } from '#lib/filters/timeRange.ts';

type ListQuery = NonNullable<paths['/api/request-logs']['get']['parameters']['query']>;
/** What the API is asked for, but for paging. */
export type LogConditions = Omit<ListQuery, 'limit' | 'offset'>;

/** Names of the API that may be given several times, as they stand in the URL of the page too. */
const LISTS = {
  status: 'Status',
  accountId: 'Account',
  model: 'Model',
  reasoningEffort: 'Effort',
  modelOption: 'Model and effort',
} as const;
export type ListName = keyof typeof LISTS;
const NAMES = Object.keys(LISTS) as ListName[];

/** What the page shows, as its URL says it. */
export interface LogFilter extends TimeRange, Readonly<Record<ListName, readonly string[]>> {
  readonly search: string;
}

/** Reads a filter from a URL; what makes no sense there is left out. */
export function filterFrom(query: Query): LogFilter {
  const lists = NAMES.map((name) => [name, [...new Set(query.getAll(name))]] as const);
  return {
    ...(Object.fromEntries(lists) as Record<ListName, string[]>),
    ...timeRangeFrom(query),
    search: query.get('search')?.trim() ?? '',
  };
}

/** What to ask the API for, at this moment. */
export function conditionsOf(filter: LogFilter, now: number): LogConditions {
  return {
    ...Object.fromEntries(NAMES.filter((name) => filter[name].length > 0).map((name) => [name, [...filter[name]]])),
    ...(filter.search !== '' && { search: filter.search }),
    ...boundsOf(filter, now),
  };
}

/** What takes every condition out of the URL. */
export const NO_CONDITIONS: Readonly<Record<string, null>> = {
  ...ANY_TIME,
  ...Object.fromEntries([...NAMES, 'search'].map((name) => [name, null])),
};

/** Every condition that holds, each with its way out. */
export function chipsOf(
  filter: LogFilter,
  words: { account: (id: string) => string; time: (iso: string) => string },
): Chip[] {
  const text: Partial<Record<ListName, (value: string) => string>> = {
    accountId: words.account,
    reasoningEffort: effortText,
    modelOption: optionText,
  };
  return [
    ...(filter.search === '' ? [] : [singleChip('search', 'Search', filter.search)]),
    ...timeChips(filter, words.time),
    ...NAMES.flatMap((name) => listChips(name, LISTS[name], filter[name], text[name])),
  ];
}

/** A request may name no effort; the API spells that as nothing. */
export const effortText = (effort: string | null): string => effort || 'default effort';

/** `<model>:::<effort>` in words. */
export function optionText(option: string): string {
  const [model = '', effort = ''] = option.split(':::');
  return `${model}, ${effortText(effort)}`;
}
