import { endOf, type Period } from '../../../projections/periods.ts';
import type { Instant } from '../../domain/core/brands.ts';
import { type PeriodRange, splitByPeriod } from '../periodRanges.ts';
import { filterOptions, timeRangeOf } from '../requestFilter.ts';
import type { RequestLogFilter, RequestLogOptions, RequestLogPage, RequestLogRow } from '../requestLogQueries.ts';
import { type RequestDocument, requestLogRow } from './documents.ts';
import { READ_OPTIONS, type ReadView } from './readView.ts';
import { searchRequests } from './requestSearch.ts';
import { type KindSelection, type RequestSelection, rowFilter, selectKinds } from './requestSelection.ts';

/** A period with more matches than this is split into shorter ones; in others the rows are scanned. */
const MAX_SCANNED_ROWS = 2_000;

interface CountedRange extends PeriodRange {
  readonly count: number;
}

const EMPTY_PAGE: RequestLogPage = { rows: [], total: 0 };

/** See `RequestLogQueries.page`. */
export async function requestLogPage(
  view: ReadView,
  filter: RequestLogFilter,
  limit: number,
  offset: number,
): Promise<RequestLogPage> {
  const kinds = await selectKinds(view, filter);
  if (kinds === 'none') return EMPTY_PAGE;
  const selection: RequestSelection = { ...timeRangeOf(filter), kinds };
  if (filter.search) {
    const found = await searchRequests(view, selection, filter.search, limit, offset);
    if (found) return found;
  }
  const ranges = (
    await mapConcurrently(splitByPeriod(selection.from, selection.to), (range) => countedRanges(view, kinds, range))
  ).flat();
  const total = ranges.reduce((sum, { count }) => sum + count, 0);
  return { rows: await rowsAt(view, await positionsOfPage(view, kinds, ranges, limit, offset)), total };
}

/** See `RequestLogQueries.options`. */
export async function requestLogOptions(view: ReadView, filter: RequestLogFilter): Promise<RequestLogOptions> {
  const all = await view.kinds.upTo(view.position);
  const { from, to } = timeRangeOf(filter);
  const counts = (await mapConcurrently(splitByPeriod(from, to), (range) => countsByKind(view, range))).flat();
  return filterOptions(
    counts.flatMap(({ _id, count }) => {
      // Kinds that occurred after the view's position are not loaded and do not count.
      const kind = all.get(_id);
      return kind ? [[kind, count] as const] : [];
    }),
    filter,
  );
}

/** See `RequestLogQueries.models`. */
export async function modelsWithSuccess(view: ReadView): Promise<readonly string[]> {
  const kinds = [...(await view.kinds.upTo(view.position)).values()];
  return [...new Set(kinds.filter(({ status }) => status === '200').map(({ model }) => model))].sort();
}

const indexFor = (kinds: KindSelection | undefined) => (kinds?.areFew ? 'byKind' : 'byTime');

/** The periods of a range that contain matches, with their counts, latest first. */
async function countedRanges(
  view: ReadView,
  kinds: KindSelection | undefined,
  range: PeriodRange,
): Promise<CountedRange[]> {
  const { period, from, to } = range;
  const { requests, requestsByKind, requestsByErrorCode } = view.collections;
  if (!period) {
    const options = { ...READ_OPTIONS, hint: indexFor(kinds) };
    return [{ ...range, count: await requests.countDocuments(rowFilter({ from, to, kinds }), options) }];
  }
  const within = { period, start: { $gte: from, $lt: to } };
  const sum = [{ $group: { _id: '$start', count: { $sum: '$requests' } } }, { $sort: { _id: -1 } }];
  // Without a condition on kinds the smaller roll-up has the same counts.
  const found = kinds
    ? requestsByKind.aggregate([{ $match: { ...within, kind: kinds.condition } }, ...sum], READ_OPTIONS)
    : requestsByErrorCode.aggregate([{ $match: within }, ...sum], READ_OPTIONS);
  return ((await found.toArray()) as { _id: Instant; count: number }[])
    .filter(({ count }) => count > 0)
    .map(({ _id: start, count }) => ({ period, from: start, to: endOf(period, start), count }));
}

const nextShorterPeriod: Readonly<Record<Period, Period | undefined>> = {
  month: 'day',
  day: 'hour',
  hour: undefined,
  minute: undefined,
};

/** Months are also split when matches may be rare in a scan by time. */
const isSplit = ({ period, count }: CountedRange, kinds: KindSelection | undefined): boolean =>
  period !== 'hour' && (count > MAX_SCANNED_ROWS || (period === 'month' && kinds !== undefined && !kinds.areFew));

/** Positions of one page. Ranges before the page are skipped by their counts; an index is scanned only where the page is. */
async function positionsOfPage(
  view: ReadView,
  kinds: KindSelection | undefined,
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
      } else if (period && isSplit(range, kinds)) {
        await visit(await countedRanges(view, kinds, { period: nextShorterPeriod[period], from, to }));
      } else {
        const missing = Math.min(limit - found.length, count - toSkip);
        found.push(...(await scan(view, { from, to, kinds }, missing, toSkip)));
        toSkip = 0;
      }
    }
  };
  await visit(ranges);
  return found;
}

async function scan(view: ReadView, selection: RequestSelection, limit: number, skip: number): Promise<number[]> {
  const rows = await view.collections.requests
    .find(rowFilter(selection), {
      ...READ_OPTIONS,
      hint: indexFor(selection.kinds),
      projection: { _id: 1 },
      sort: { requestedAt: -1, _id: -1 },
      skip,
      limit,
    })
    .toArray();
  return rows.map(({ _id }) => _id);
}

/** The rows at these positions, latest first. */
async function rowsAt({ collections }: ReadView, positions: readonly number[]): Promise<RequestLogRow[]> {
  if (positions.length === 0) return [];
  const documents = await collections.requests.find({ _id: { $in: [...positions] } }, READ_OPTIONS).toArray();
  return documents
    .map((document) => requestLogRow(document as RequestDocument))
    .sort((a, b) => b.requestedAt - a.requestedAt || b.position - a.position);
}

interface KindCount {
  readonly _id: string;
  readonly count: number;
}

async function countsByKind({ collections }: ReadView, { period, from, to }: PeriodRange): Promise<KindCount[]> {
  const group = { $group: { _id: '$kind', count: { $sum: period ? '$requests' : 1 } } };
  const found = period
    ? collections.requestsByKind.aggregate(
        [{ $match: { period, start: { $gte: from, $lt: to } } }, group],
        READ_OPTIONS,
      )
    : collections.requests.aggregate([{ $match: { requestedAt: { $gte: from, $lt: to } } }, group], {
        ...READ_OPTIONS,
        hint: 'byTime',
      });
  return (await found.toArray()) as KindCount[];
}

/** Runs all concurrently. @returns the results in the order of the values */
const mapConcurrently = <Value, Result>(values: readonly Value[], work: (value: Value) => Promise<Result>) =>
  Promise.all(values.map(work));
