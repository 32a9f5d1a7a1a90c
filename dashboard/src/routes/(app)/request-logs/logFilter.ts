import type { paths } from '#lib/api/openapi.d.ts';
import { type Chip, listChips, singleChip, timeChips } from '#lib/filters/chips.ts';
import { ANY_TIME, boundsOf, type Query, type TimeRange, timeRangeFrom } from '#lib/filters/timeRange.ts';
import type { NameLookup } from '#lib/nameLookup.svelte.ts';

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
  apiKeyId: 'API key',
  owner: 'Owner',
  team: 'Team',
  client: 'Client',
  errorCode: 'Error',
  transport: 'Transport',
} as const;
export type ListName = keyof typeof LISTS;
export const LIST_NAMES = Object.keys(LISTS) as ListName[];

/** The filters in the URL of the page. */
export interface LogFilter extends TimeRange, Readonly<Record<ListName, readonly string[]>> {
  readonly search: string;
}

/** Reads the filters from a URL; ignores invalid values. */
export function filterFrom(query: Query): LogFilter {
  const lists = LIST_NAMES.map((name) => [name, [...new Set(query.getAll(name))]] as const);
  return {
    ...(Object.fromEntries(lists) as Record<ListName, string[]>),
    ...timeRangeFrom(query),
    search: query.get('search')?.trim() ?? '',
  };
}

/** Query of the API for a filter. @param now in ms since 1970, for relative time ranges */
export function conditionsOf(filter: LogFilter, now: number): LogConditions {
  return {
    ...Object.fromEntries(
      LIST_NAMES.filter((name) => filter[name].length > 0).map((name) => [name, [...filter[name]]]),
    ),
    ...(filter.search !== '' && { search: filter.search }),
    ...boundsOf(filter, now),
  };
}

/** Query changes that remove every filter. */
export const NO_FILTERS: Readonly<Record<string, null>> = {
  ...ANY_TIME,
  ...Object.fromEntries([...LIST_NAMES, 'search'].map((name) => [name, null])),
};

/** Names by id, for menus and chips. */
export type FilterNames = Pick<NameLookup, 'account' | 'key' | 'team' | 'person'>;

/** How a value of a list is shown; an empty one stands for requests without. */
export function valueText(name: ListName, value: string, names: FilterNames): string {
  switch (name) {
    case 'accountId':
    case 'attemptedAccountId':
      return names.account(value);
    case 'reasoningEffort':
      return effortText(value);
    case 'modelOption':
      return optionText(value);
    case 'transport':
      return transportText(value);
    default:
      if (value === '') return name === 'client' ? 'unknown' : 'none';
      if (name === 'apiKeyId') return names.key(value);
      if (name === 'team') return names.team(value);
      return name === 'owner' ? (names.person(value) ?? value) : value;
  }
}

/** A chip for each filter on a list. */
export const listChipsOf = (filter: LogFilter, names: FilterNames): Chip[] =>
  LIST_NAMES.flatMap((name) => listChips(name, LISTS[name], filter[name], (value) => valueText(name, value, names)));

/** A chip for each active filter. @param timeText formats an ISO 8601 time */
export const chipsOf = (filter: LogFilter, names: FilterNames, timeText: (iso: string) => string): Chip[] => [
  ...(filter.search === '' ? [] : [singleChip('search', 'Search', filter.search)]),
  ...timeChips(filter, timeText),
  ...listChipsOf(filter, names),
];

/** The API represents a request without an effort as an empty string. */
export const effortText = (effort: string | null): string => effort || 'default effort';

export const transportText = (transport: string): string =>
  ({ http: 'HTTP', websocket: 'WebSocket' })[transport] ?? transport.replace(/^import:/, 'Imported from ');

/** Whether another program served the request, so that svc has no attempts, decisions and path of it. */
export const isImported = ({ transport }: { readonly transport: string }): boolean => transport.startsWith('import:');

/** Formats `<model>:::<effort>`. */
export function optionText(option: string): string {
  const [model = '', effort = ''] = option.split(':::');
  return `${model}, ${effortText(effort)}`;
}
