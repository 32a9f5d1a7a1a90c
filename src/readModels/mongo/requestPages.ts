import type { Filter } from 'mongodb';
import type { Period } from '../../../projections/periods.ts';
import { instant } from '../../domain/core/brands.ts';
import { endOfArchivedDay } from '../archivedDays.ts';
import { type Cut, splitAtCut } from '../cut.ts';
import { timeRangeOf } from '../requestFilter.ts';
import type { RequestLogFilter, RequestLogPage, RequestLogRow } from '../requestLogQueries.ts';
import { isLatestFirst, partToSort, sortedPage } from '../requestLogSort.ts';
import { type CountedRange, countedRanges, indexFor } from './countedRanges.ts';
import { type RequestDocument, requestLogRow } from './documents.ts';
import { READ_OPTIONS, type ReadView } from './readView.ts';
import { searchRequests } from './requestSearch.ts';
import {
  type AttemptSelection,
  attemptFilter,
  isEmpty,
  type MatchSelection,
  type RequestSelection,
  rowFilter,
  rowFilters,
  type SourceSelection,
  select,
} from './requestSelection.ts';

/** A period with more matches than this is split into shorter ones; in others the rows are scanned. */
const MAX_SCANNED_ROWS = 2_000;

const EMPTY_PAGE: RequestLogPage = { rows: [], total: 0 };

/** See `RequestLogQueries.page`. */
export async function requestLogPage(
  view: ReadView,
  filter: RequestLogFilter,
  limit: number,
  offset: number,
  cut?: Cut,
): Promise<RequestLogPage> {
  const { sort } = filter;
  if (sort === undefined || isLatestFirst(sort)) return latestFirst(view, filter, limit, offset, cut);
  const { total } = await latestFirst(view, filter, 1, 0, cut);
  const part = partToSort(sort, total, { limit, offset });
  if (!part) return { rows: [], total, isTooLargeToSort: true };
  // A limit of 0 is none for MongoDB.
  if (part.limit === 0) return { rows: [], total };
  const { rows } = await latestFirst(view, filter, part.limit, part.offset, cut);
  return { rows: sortedPage(rows, sort, { limit, offset }), total };
}

async function latestFirst(
  view: ReadView,
  filter: RequestLogFilter,
  limit: number,
  offset: number,
  cut: Cut | undefined,
): Promise<RequestLogPage> {
  const { source, ...matching } = await select(view, filter);
  if (isEmpty(matching)) return EMPTY_PAGE;
  const selection: RequestSelection = { ...timeRangeOf(filter), upTo: cut?.asOf, ...matching, source };
  if (filter.after !== undefined) {
    const conditions = { _id: { $gt: filter.after }, $or: rowFilters(selection) };
    return pageOfRows(view, conditions, '_id_', limit, offset);
  }
  if (filter.search) {
    const found = await searchRequests(view, selection, filter.search, limit, offset);
    if (found) return found;
  }
  const { from, to } = selection;
  if (source) return pageOfRows(view, { $or: rowFilters(selection) }, source.hint, limit, offset);
  // Up to the end of the archived days the sums count more requests than there are rows.
  const rowsOnlyTo = instant(Math.min(to, Math.max(from, ...view.archived.map(endOfArchivedDay))));
  const parts = [...splitAtCut(rowsOnlyTo, to, cut), { period: undefined, from, to: rowsOnlyTo }];
  const ranges = await countedRanges(
    view,
    selection,
    parts.filter((part) => part.from < part.to),
  );
  const total = ranges.reduce((sum, { count }) => sum + count, 0);
  return { rows: await rowsAt(view, await positionsOfPage(view, selection, ranges, limit, offset)), total };
}

/** A page of rows that are counted one by one. */
async function pageOfRows(
  { collections }: ReadView,
  filter: Filter<RequestDocument>,
  hint: SourceSelection['hint'] | '_id_',
  limit: number,
  offset: number,
): Promise<RequestLogPage> {
  const [total, documents] = await Promise.all([
    collections.requests.countDocuments(filter, { ...READ_OPTIONS, hint }),
    collections.requests
      .find(filter, { ...READ_OPTIONS, hint, sort: { requestedAt: -1, _id: -1 }, skip: offset, limit })
      .toArray(),
  ]);
  return { rows: documents.map((document) => requestLogRow(document as RequestDocument)), total };
}

const nextShorterPeriod: Readonly<Record<Period, Period | undefined>> = {
  month: 'day',
  day: 'hour',
  hour: undefined,
  quarter: undefined,
  minute: undefined,
};

/** Months are also split when matches may be rare in a scan by time. */
const isSplit = ({ period, count }: CountedRange, { kinds }: MatchSelection): boolean =>
  period !== 'hour' &&
  (count > MAX_SCANNED_ROWS || (period === 'month' && kinds !== undefined && kinds !== 'none' && !kinds.areFew));

/** Positions of one page. Ranges before the page are skipped by their counts; an index is scanned only where the page is. */
async function positionsOfPage(
  view: ReadView,
  selection: RequestSelection,
  ranges: readonly CountedRange[],
  limit: number,
  offset: number,
): Promise<number[]> {
  const found: number[] = [];
  let toSkip = offset;
  const visit = async (inner: readonly CountedRange[]): Promise<void> => {
    for (const range of inner) {
      if (found.length >= limit) return;
      const { period, from, to, count } = range;
      if (toSkip >= count) {
        toSkip -= count;
      } else if (period && isSplit(range, selection)) {
        await visit(await countedRanges(view, selection, [{ period: nextShorterPeriod[period], from, to }]));
      } else {
        const missing = Math.min(limit - found.length, count - toSkip);
        found.push(...(await scan(view, { ...selection, from, to }, missing, toSkip)));
        toSkip = 0;
      }
    }
  };
  await visit(ranges);
  return found;
}

/** Merges the rows that match by their kind with those that match by an attempt. */
async function scan(view: ReadView, selection: RequestSelection, limit: number, skip: number): Promise<number[]> {
  const { kinds, attempted } = selection;
  if (!attempted) return (await scanRows(view, selection, limit, skip)).map(({ position }) => position);
  const [own, further] = await Promise.all([
    kinds === 'none' ? [] : scanRows(view, selection, skip + limit, 0),
    scanAttempts(view, attempted, selection, skip + limit),
  ]);
  const merged = [...own, ...further].sort((a, b) => b.requestedAt - a.requestedAt || b.position - a.position);
  return merged.slice(skip, skip + limit).map(({ position }) => position);
}

interface Place {
  readonly requestedAt: number;
  readonly position: number;
}

async function scanRows(
  view: ReadView,
  { kinds, ...range }: RequestSelection,
  limit: number,
  skip: number,
): Promise<Place[]> {
  const selected = kinds === 'none' ? undefined : kinds;
  const rows = await view.collections.requests
    .find(rowFilter(range, selected), {
      ...READ_OPTIONS,
      hint: indexFor(selected),
      projection: { _id: 1, requestedAt: 1 },
      sort: { requestedAt: -1, _id: -1 },
      skip,
      limit,
    })
    .toArray();
  return rows.map(({ _id, requestedAt }) => ({ requestedAt, position: _id }));
}

async function scanAttempts(
  { collections }: ReadView,
  attempted: AttemptSelection,
  range: RequestSelection,
  limit: number,
): Promise<Place[]> {
  const rows = collections.attempts.find(attemptFilter(attempted, range), {
    ...READ_OPTIONS,
    hint: 'byAccount',
    projection: { _id: 0, requestedAt: 1, position: 1 },
    sort: { requestedAt: -1, position: -1 },
    limit,
  });
  return rows.toArray();
}

/** The rows at these positions, latest first: see `RequestLogQueries.rows`. */
export async function rowsAt({ collections }: ReadView, positions: readonly number[]): Promise<RequestLogRow[]> {
  if (positions.length === 0) return [];
  const documents = await collections.requests.find({ _id: { $in: [...positions] } }, READ_OPTIONS).toArray();
  return documents
    .map((document) => requestLogRow(document as RequestDocument))
    .sort((a, b) => b.requestedAt - a.requestedAt || b.position - a.position);
}
