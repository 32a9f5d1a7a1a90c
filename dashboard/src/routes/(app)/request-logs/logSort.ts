import type { ApiError } from '#lib/api/apiError.ts';
import type { paths } from '#lib/api/openapi.d.ts';
import type { Query } from '#lib/filters/timeRange.ts';
import type { LogColumn } from './logColumns.ts';

/** As the API names it. */
export type LogSort = NonNullable<NonNullable<paths['/api/request-logs']['get']['parameters']['query']>['sort']>;

export const NEWEST_FIRST: LogSort = '-requested_at';

/** By anything but the time the service sorts up to so many requests. */
export const MAX_SORTED = 10_000;

/** Whether the service found too many requests to sort, as for a saved link whose requests have become more. */
export const isRefusedSort = ({ code, message }: ApiError): boolean =>
  code === 'validation_error' && message.startsWith('sort ');

/** The sorts by their names in the menu. */
export const SORTS: Readonly<Record<LogSort, string>> = {
  '-requested_at': 'newest first',
  requested_at: 'oldest first',
  '-latency_ms': 'slowest first',
  latency_ms: 'fastest first',
  '-first_byte_ms': 'latest first byte',
  first_byte_ms: 'earliest first byte',
  '-cost_usd': 'most expensive first',
  cost_usd: 'cheapest first',
  '-tokens': 'most tokens first',
  tokens: 'fewest tokens first',
};

type SortedColumn = 'time' | Extract<LogColumn, 'tokens' | 'cost' | 'firstByte' | 'took'>;
const FIELDS = {
  time: 'requested_at',
  tokens: 'tokens',
  cost: 'cost_usd',
  firstByte: 'first_byte_ms',
  took: 'latency_ms',
} as const satisfies Record<SortedColumn, LogSort>;

/** Reads the sort of the URL; what does not exist is newest first. */
export function sortFrom(query: Query): LogSort {
  const sort = query.getAll('sort')[0] ?? '';
  return Object.hasOwn(SORTS, sort) ? (sort as LogSort) : NEWEST_FIRST;
}

export const isSortable = (column: string): column is SortedColumn => Object.hasOwn(FIELDS, column);

/** What a column says of the sort, for `aria-sort`. */
export function directionOf(column: SortedColumn, sort: LogSort): 'ascending' | 'descending' | 'none' {
  if (sort === FIELDS[column]) return 'ascending';
  return sort === `-${FIELDS[column]}` ? 'descending' : 'none';
}

/** The sort after a click on the title of a column: largest first, smallest first, then newest first again. */
export function sortAfterClick(column: SortedColumn, sort: LogSort): LogSort {
  const direction = directionOf(column, sort);
  if (direction === 'none') return `-${FIELDS[column]}`;
  return direction === 'descending' ? FIELDS[column] : NEWEST_FIRST;
}
