import { endOf } from '../../../projections/periods.ts';
import type { Instant, Position } from '../../domain/core/brands.ts';
import type { PeriodRange } from '../periodRanges.ts';
import { READ_OPTIONS, type ReadView } from './readView.ts';
import {
  type AttemptSelection,
  attemptFilter,
  type KindSelection,
  type RequestSelection,
  type RowRange,
  rowFilter,
} from './requestSelection.ts';
import { rangeAt, separate, sumsWithin, type WholePeriods } from './wholePeriods.ts';

/** A range with the number of requests in it that match. */
export interface CountedRange extends PeriodRange {
  readonly count: number;
}

/** The index that serves a scan of rows of these kinds. */
export const indexFor = (kinds: KindSelection | undefined) => (kinds?.areFew ? 'byKind' : 'byTime');

/** The periods of disjoint ranges that contain matches, with their counts, latest first. */
export async function countedRanges(
  view: ReadView,
  { kinds, attempted, upTo }: RequestSelection,
  ranges: readonly PeriodRange[],
): Promise<CountedRange[]> {
  const [own, further] = await Promise.all([
    kinds === 'none' ? [] : countedByKind(view, kinds, ranges, upTo),
    attempted ? countedByAttempt(view, attempted, ranges, upTo) : [],
  ]);
  const counts = new Map<Instant, CountedRange>();
  for (const counted of [...own, ...further]) {
    counts.set(counted.from, { ...counted, count: (counts.get(counted.from)?.count ?? 0) + counted.count });
  }
  return [...counts.values()].sort((a, b) => b.from - a.from);
}

async function countedByKind(
  { collections }: ReadView,
  kinds: KindSelection | undefined,
  ranges: readonly PeriodRange[],
  upTo: Position | undefined,
): Promise<CountedRange[]> {
  const { requests, requestsByKind, requestsByErrorCode } = collections;
  // Without a condition on kinds the smaller roll-up has the same counts.
  const sums = (whole: readonly WholePeriods[]) =>
    kinds
      ? requestsByKind.aggregate(
          [{ $match: { ...sumsWithin(whole), kind: kinds.condition } }, ...SUM_BY_START],
          READ_OPTIONS,
        )
      : requestsByErrorCode.aggregate([{ $match: sumsWithin(whole) }, ...SUM_BY_START], READ_OPTIONS);
  const options = { ...READ_OPTIONS, hint: indexFor(kinds) };
  return counted(
    ranges,
    async (whole) => (await sums(whole).toArray()) as StartCount[],
    ({ from, to }) => requests.countDocuments(rowFilter({ from, to, upTo }, kinds), options),
  );
}

/** The roll-up counts a request once for each account that it tried: exact for one account, else it names the periods. */
async function countedByAttempt(
  view: ReadView,
  attempted: AttemptSelection,
  ranges: readonly PeriodRange[],
  upTo: Position | undefined,
): Promise<CountedRange[]> {
  const { accountIds, kinds } = attempted;
  const group = { attemptedAccountId: { $in: [...accountIds] }, kind: kinds };
  const count = ({ from, to }: PeriodRange) => countAttempted(view, attempted, { from, to, upTo });
  const found = await counted(
    ranges,
    async (whole) =>
      (await view.collections.requestsByAttempt
        .aggregate([{ $match: { ...sumsWithin(whole), ...group } }, ...SUM_BY_START], READ_OPTIONS)
        .toArray()) as StartCount[],
    count,
  );
  if (accountIds.length === 1) return found;
  return Promise.all(found.map(async (range) => (range.period ? { ...range, count: await count(range) } : range)));
}

const countAttempted = ({ collections }: ReadView, attempted: AttemptSelection, range: RowRange): Promise<number> =>
  collections.attempts.countDocuments(attemptFilter(attempted, range), { ...READ_OPTIONS, hint: 'byAccount' });

interface StartCount {
  /** The start of a period. */
  readonly _id: Instant;
  readonly count: number;
}

/** The ranges are disjoint, so a start belongs to periods of one length only. */
const SUM_BY_START = [{ $group: { _id: '$start', count: { $sum: '$requests' } } }];

/** Counts whole periods by their sums, and other ranges by their rows. */
async function counted(
  ranges: readonly PeriodRange[],
  bySums: (whole: readonly WholePeriods[]) => Promise<readonly StartCount[]>,
  byRows: (range: PeriodRange) => Promise<number>,
): Promise<CountedRange[]> {
  const { whole, partial } = separate(ranges);
  const [periods, rest] = await Promise.all([
    whole.length > 0 ? bySums(whole) : [],
    Promise.all(partial.map(async (range) => ({ ...range, count: await byRows(range) }))),
  ]);
  const occupied = periods.filter(({ count }) => count > 0);
  return [
    ...occupied.map(({ _id: from, count }) => {
      const { period } = rangeAt(whole, from);
      return { period, from, to: endOf(period, from), count };
    }),
    ...rest,
  ];
}
