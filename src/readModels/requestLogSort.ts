import type { RequestLogRow } from '../../projections/requestLog.ts';

/** The values of a row that a page can be sorted by. */
export type SortedValue = 'requestedAt' | 'latencyMs' | 'firstByteMs' | 'costMicroDollars' | 'tokens';

/** Rows with the same value are sorted by time, latest first. Those without a value come last in either direction. */
export interface RequestLogSort {
  readonly by: SortedValue;
  readonly isDescending: boolean;
}

/**
 * Only the time has an index: one of another value would change a page of the file for each request. Up to this many matches
 * are sorted one by one.
 */
export const MAX_SORTED_BY_VALUE = 10_000;

/** Which part of the matches, latest first, has the rows of a page. */
interface Part {
  readonly limit: number;
  readonly offset: number;
}

/** Latest first, as the index has it, unless there is another sort. */
export const isLatestFirst = (sort: RequestLogSort | undefined): boolean =>
  sort === undefined || (sort.by === 'requestedAt' && sort.isDescending);

/**
 * The rows to read for a page that is not sorted latest first.
 * @param total number of matches
 * @returns undefined when there are too many to sort them
 */
export function partToSort({ by }: RequestLogSort, total: number, { limit, offset }: Part): Part | undefined {
  if (by !== 'requestedAt') return total > MAX_SORTED_BY_VALUE ? undefined : { limit: total, offset: 0 };
  const end = Math.max(0, total - offset);
  return { limit: Math.min(limit, end), offset: Math.max(0, end - limit) };
}

/** The page among the rows of its part. @param rows latest first */
export function sortedPage(
  rows: readonly RequestLogRow[],
  { by, isDescending }: RequestLogSort,
  { limit, offset }: Part,
): RequestLogRow[] {
  if (by === 'requestedAt') return rows.toReversed();
  const last = isDescending ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const direction = isDescending ? -1 : 1;
  const valueIn = (row: RequestLogRow) => sortedValueOf(row, by) ?? last;
  // A stable sort keeps the latest first among equals.
  const compare = (a: number, b: number) => (a === b ? 0 : a < b ? -direction : direction);
  return rows.toSorted((a, b) => compare(valueIn(a), valueIn(b))).slice(offset, offset + limit);
}

function sortedValueOf(row: RequestLogRow, by: SortedValue): number | null {
  if (by !== 'tokens') return row[by];
  return row.inputTokens === null || row.outputTokens === null ? null : row.inputTokens + row.outputTokens;
}
