import { endOf, type Period } from '../../../projections/periods.ts';
import type { Instant } from '../../domain/core/brands.ts';
import { type PeriodRange, splitByPeriod } from '../periodRanges.ts';
import { filterOptions, timeRangeOf } from '../requestFilter.ts';
import type { RequestLogFilter, RequestLogOptions, RequestLogPage, RequestLogRow } from '../requestLogQueries.ts';
import { type RequestDocument, requestLogRow } from './documents.ts';
import { READ_OPTIONS, type ReadView } from './readView.ts';
import { searchRequests } from './requestSearch.ts';
import { type KindSelection, type RequestSelection, rowFilter, selectKinds } from './requestSelection.ts';

/** A piece with more matches than this is entered by its shorter periods, others by their rows. */
const MAX_SCANNED_ROWS = 2_000;
interface CountedRange extends PeriodRange {
  readonly count: number;
}

const EMPTY_PAGE: RequestLogPage = { rows: [], total: 0 };

export async function requestLogPage(
  reach: ReadView,
  filter: RequestLogFilter,
  limit: number,
  offset: number,
): Promise<RequestLogPage> {
  const kinds = await selectKinds(reach, filter);
  if (kinds === 'none') return EMPTY_PAGE;
  const wanted: RequestSelection = { ...timeRangeOf(filter), kinds };
  if (filter.search) {
    const found = await searchRequests(reach, wanted, filter.search, limit, offset);
    if (found) return found;
  }
  const pieces = (
    await mapConcurrently(splitByPeriod(wanted.from, wanted.to), (piece) => countedRanges(reach, kinds, piece))
  ).flat();
  const total = pieces.reduce((sum, { count }) => sum + count, 0);
  return { rows: await rowsAt(reach, await positionsAt(reach, kinds, pieces, limit, offset)), total };
}

export async function requestLogOptions(reach: ReadView, filter: RequestLogFilter): Promise<RequestLogOptions> {
  const all = await reach.kinds.upTo(reach.position);
  const { from, to } = timeRangeOf(filter);
  const counts = (await mapConcurrently(splitByPeriod(from, to), (piece) => countsByKind(reach, piece))).flat();
  return filterOptions(
    counts.flatMap(({ _id, count }) => {
      // A kind that came after `reach` is not known yet, and does not count yet.
      const kind = all.get(_id);
      return kind ? [[kind, count] as const] : [];
    }),
    filter,
  );
}

export async function answeredModels(reach: ReadView): Promise<readonly string[]> {
  const kinds = [...(await reach.kinds.upTo(reach.position)).values()];
  return [...new Set(kinds.filter(({ status }) => status === '200').map(({ model }) => model))].sort();
}

const indexFor = (kinds: KindSelection | undefined) => (kinds?.areFew ? 'byKind' : 'byTime');

/** Each period of the piece that holds matches, and how many; the latest first. */
async function countedRanges(
  reach: ReadView,
  kinds: KindSelection | undefined,
  piece: PeriodRange,
): Promise<CountedRange[]> {
  const { period, from, to } = piece;
  const { requests, requestsByKind, requestsByErrorCode } = reach.collections;
  if (!period) {
    const options = { ...READ_OPTIONS, hint: indexFor(kinds) };
    return [{ ...piece, count: await requests.countDocuments(rowFilter({ from, to, kinds }), options) }];
  }
  const within = { period, start: { $gte: from, $lt: to } };
  const sum = [{ $group: { _id: '$start', count: { $sum: '$requests' } } }, { $sort: { _id: -1 } }];
  // Without a condition on kinds the smaller roll-up counts the same requests.
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

/** Where matches are far apart along the time, a month of rows may hold no more than a few of them. */
const isSplit = ({ period, count }: CountedRange, kinds: KindSelection | undefined): boolean =>
  period !== 'hour' && (count > MAX_SCANNED_ROWS || (period === 'month' && kinds !== undefined && !kinds.areFew));

/** Positions of one page, found by skipping whole pieces and walking an index only in those that hold the page. */
async function positionsAt(
  reach: ReadView,
  kinds: KindSelection | undefined,
  pieces: readonly CountedRange[],
  limit: number,
  offset: number,
): Promise<number[]> {
  const found: number[] = [];
  let toSkip = offset;
  const enter = async (inside: readonly CountedRange[]): Promise<void> => {
    for (const piece of inside) {
      if (found.length >= limit) return;
      const { period, from, to, count } = piece;
      if (toSkip >= count) {
        toSkip -= count;
      } else if (period && isSplit(piece, kinds)) {
        await enter(await countedRanges(reach, kinds, { period: nextShorterPeriod[period], from, to }));
      } else {
        const most = Math.min(limit - found.length, count - toSkip);
        found.push(...(await scan(reach, { from, to, kinds }, most, toSkip)));
        toSkip = 0;
      }
    }
  };
  await enter(pieces);
  return found;
}

async function scan(reach: ReadView, wanted: RequestSelection, limit: number, skip: number): Promise<number[]> {
  const rows = await reach.collections.requests
    .find(rowFilter(wanted), {
      ...READ_OPTIONS,
      hint: indexFor(wanted.kinds),
      projection: { _id: 1 },
      sort: { requestedAt: -1, _id: -1 },
      skip,
      limit,
    })
    .toArray();
  return rows.map(({ _id }) => _id);
}

/** The rows at these positions, the latest first. */
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

/** All at once, the results in the order of the values. */
const mapConcurrently = <Value, Result>(values: readonly Value[], work: (value: Value) => Promise<Result>) =>
  Promise.all(values.map(work));
