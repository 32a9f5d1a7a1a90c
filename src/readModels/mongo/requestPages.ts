import type { Filter } from 'mongodb';
import { endOf, type Period } from '../../../projections/periods.ts';
import type { RequestKind, RequestSource } from '../../../projections/requestLog.ts';
import { type Instant, instant, type Position } from '../../domain/core/brands.ts';
import { endOfArchivedDay } from '../archivedDays.ts';
import { type Cut, splitAtCut } from '../cut.ts';
import type { PeriodRange } from '../periodRanges.ts';
import { filterOptions, type RequestCounts, timeRangeOf } from '../requestFilter.ts';
import type { RequestLogFilter, RequestLogOptions, RequestLogPage, RequestLogRow } from '../requestLogQueries.ts';
import { sourceOptions } from '../sourceFilter.ts';
import { countsByAttempt, countsByAttempted, type KindCount } from './attemptCounts.ts';
import { type RequestDocument, requestLogRow } from './documents.ts';
import { READ_OPTIONS, type ReadView } from './readView.ts';
import { searchRequests } from './requestSearch.ts';
import {
  type AttemptSelection,
  attemptFilter,
  isEmpty,
  type KindSelection,
  type MatchSelection,
  type RequestSelection,
  type RowRange,
  rowFilter,
  rowFilters,
  rowsWithin,
  type SourceSelection,
  selectMatches,
  selectSource,
} from './requestSelection.ts';

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
  cut?: Cut,
): Promise<RequestLogPage> {
  const matching = await selectMatches(view, filter);
  if (isEmpty(matching)) return EMPTY_PAGE;
  const source = selectSource(filter);
  const selection: RequestSelection = { ...timeRangeOf(filter), upTo: cut?.asOf, ...matching, source };
  if (filter.search) {
    const found = await searchRequests(view, selection, filter.search, limit, offset);
    if (found) return found;
  }
  const { from, to } = selection;
  if (source) return pageOfSource(view, selection, source, limit, offset);
  // Up to the end of the archived days the sums count more requests than there are rows.
  const rowsOnlyTo = instant(Math.min(to, Math.max(from, ...view.archived.map(endOfArchivedDay))));
  const parts = [...splitAtCut(rowsOnlyTo, to, cut), { period: undefined, from, to: rowsOnlyTo }];
  const ranges = (
    await mapConcurrently(
      parts.filter((part) => part.from < part.to),
      (part) => countedRanges(view, selection, part),
    )
  ).flat();
  const total = ranges.reduce((sum, { count }) => sum + count, 0);
  return { rows: await rowsAt(view, await positionsOfPage(view, selection, ranges, limit, offset)), total };
}

/** A page of rows that are counted one by one. */
async function pageOfSource(
  { collections }: ReadView,
  selection: RequestSelection,
  { hint }: SourceSelection,
  limit: number,
  offset: number,
): Promise<RequestLogPage> {
  const filter: Filter<RequestDocument> = { $or: rowFilters(selection) };
  const [total, documents] = await Promise.all([
    collections.requests.countDocuments(filter, { ...READ_OPTIONS, hint }),
    collections.requests
      .find(filter, { ...READ_OPTIONS, hint, sort: { requestedAt: -1, _id: -1 }, skip: offset, limit })
      .toArray(),
  ]);
  return { rows: documents.map((document) => requestLogRow(document as RequestDocument)), total };
}

/** See `RequestLogQueries.options`. */
export async function requestLogOptions(
  view: ReadView,
  filter: RequestLogFilter,
  cut?: Cut,
): Promise<RequestLogOptions> {
  const all = await view.kinds.upTo(view.position);
  const range = timeRangeOf(filter);
  const { attemptedAccountIds } = filter;
  const parts = splitAtCut(range.from, range.to, cut);
  const sources = sourceOptions(
    (await mapConcurrently(parts, (part) => countsBySource(view, part, cut?.asOf))).flat(),
    filter,
  );
  const source = selectSource(filter);
  if (source) {
    const rows = { ...range, upTo: cut?.asOf, kinds: undefined, source };
    return { ...filterOptions(await countsOfRows(view, rows, source, all, attemptedAccountIds), filter), ...sources };
  }
  // Each list ignores another condition, so all of them are evaluated on the counts.
  const { attempted } = await selectMatches(view, attemptedAccountIds ? { attemptedAccountIds } : {});
  const [kinds, attempts, further] = await Promise.all([
    mapConcurrently(parts, (part) => countsByKind(view, part, cut?.asOf)),
    mapConcurrently(parts, (part) => countsByAttempt(view, part, cut?.asOf)),
    attempted && attempted.accountIds.length > 1
      ? countsByAttempted(view, attempted, { ...range, upTo: cut?.asOf })
      : [],
  ]);
  // Kinds that occurred after the view's position are not loaded and do not count.
  const known = ({ kind: id, count }: KindCount) => {
    const kind = all.get(id);
    return kind ? [[kind, count] as const] : [];
  };
  const options = filterOptions(
    {
      kinds: kinds.flat().flatMap(known),
      attempts: attempts
        .flat()
        .flatMap(({ attemptedAccountId, ...counted }) =>
          known(counted).map(([kind, count]) => ({ accountId: attemptedAccountId, kind, count })),
        ),
      attempted: further.flatMap(known),
    },
    filter,
  );
  return { ...options, ...sources };
}

/** The numbers of requests by kind among rows, for the lists of options. Added up here: FerretDB groups by one field only. */
async function countsOfRows(
  { collections }: ReadView,
  selection: RequestSelection,
  { hint }: SourceSelection,
  all: ReadonlyMap<string, RequestKind>,
  attemptedAccountIds: readonly string[] | undefined,
): Promise<RequestCounts> {
  const wanted = new Set(attemptedAccountIds);
  const kinds = new Map<RequestKind, number>();
  const attempts = new Map<RequestKind, Map<string, number>>();
  const attempted = new Map<RequestKind, number>();
  const rows = collections.requests.find(
    { $or: rowFilters(selection) },
    { ...READ_OPTIONS, hint, projection: { _id: 0, kind: 1, otherAccountIds: 1 } },
  );
  for await (const { kind: id, otherAccountIds = [] } of rows) {
    const kind = all.get(id);
    if (!kind) continue;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    const tried = attempts.get(kind) ?? new Map<string, number>();
    for (const accountId of otherAccountIds) tried.set(accountId, (tried.get(accountId) ?? 0) + 1);
    attempts.set(kind, tried);
    const isOwn = kind.accountId !== null && wanted.has(kind.accountId);
    if (isOwn || !otherAccountIds.some((accountId) => wanted.has(accountId))) continue;
    attempted.set(kind, (attempted.get(kind) ?? 0) + 1);
  }
  return {
    kinds: [...kinds],
    attempts: [...attempts].flatMap(([kind, tried]) =>
      [...tried].map(([accountId, count]) => ({ accountId, kind, count })),
    ),
    attempted: [...attempted],
  };
}

/** See `RequestLogQueries.models`. */
export async function modelsWithSuccess(view: ReadView, cut?: Cut): Promise<readonly string[]> {
  const all = await view.kinds.upTo(view.position);
  const kinds = cut ? await kindsAt(view, all, cut) : [...all.values()];
  return [...new Set(kinds.filter(({ status }) => status === '200').map(({ model }) => model))].sort();
}

/** The kinds that have requests up to a cut. */
async function kindsAt(view: ReadView, all: ReadonlyMap<string, RequestKind>, cut: Cut): Promise<RequestKind[]> {
  const { from, to } = timeRangeOf({});
  const counts = await mapConcurrently(splitAtCut(from, to, cut), (part) => countsByKind(view, part, cut.asOf));
  const ids = new Set(counts.flat().flatMap(({ kind, count }) => (count > 0 ? [kind] : [])));
  return [...ids].flatMap((id) => all.get(id) ?? []);
}

const indexFor = (kinds: KindSelection | undefined) => (kinds?.areFew ? 'byKind' : 'byTime');

/** The periods of a range that contain matches, with their counts, latest first. */
async function countedRanges(
  view: ReadView,
  { kinds, attempted, upTo }: RequestSelection,
  range: PeriodRange,
): Promise<CountedRange[]> {
  const [own, further] = await Promise.all([
    kinds === 'none' ? [] : countedByKind(view, kinds, range, upTo),
    attempted ? countedByAttempt(view, attempted, range, upTo) : [],
  ]);
  const counts = new Map<Instant, CountedRange>();
  for (const counted of [...own, ...further]) {
    counts.set(counted.from, { ...counted, count: (counts.get(counted.from)?.count ?? 0) + counted.count });
  }
  return [...counts.values()].sort((a, b) => b.from - a.from);
}

async function countedByKind(
  view: ReadView,
  kinds: KindSelection | undefined,
  range: PeriodRange,
  upTo: Position | undefined,
): Promise<CountedRange[]> {
  const { period, from, to } = range;
  const { requests, requestsByKind, requestsByErrorCode } = view.collections;
  if (!period) {
    const options = { ...READ_OPTIONS, hint: indexFor(kinds) };
    return [{ ...range, count: await requests.countDocuments(rowFilter({ ...range, upTo }, kinds), options) }];
  }
  const within = { period, start: { $gte: from, $lt: to } };
  // Without a condition on kinds the smaller roll-up has the same counts.
  const found = kinds
    ? requestsByKind.aggregate([{ $match: { ...within, kind: kinds.condition } }, ...SUM_BY_START], READ_OPTIONS)
    : requestsByErrorCode.aggregate([{ $match: within }, ...SUM_BY_START], READ_OPTIONS);
  return toRanges(period, (await found.toArray()) as StartCount[]);
}

/** The roll-up counts a request once for each account that it tried: exact for one account, else it names the periods. */
async function countedByAttempt(
  view: ReadView,
  attempted: AttemptSelection,
  range: PeriodRange,
  upTo: Position | undefined,
): Promise<CountedRange[]> {
  const { period, from, to } = range;
  const { accountIds, kinds } = attempted;
  if (!period) return [{ ...range, count: await countAttempted(view, attempted, { from, to, upTo }) }];
  const $match = {
    period,
    start: { $gte: from, $lt: to },
    attemptedAccountId: { $in: [...accountIds] },
    kind: kinds,
  };
  const sums = view.collections.requestsByAttempt.aggregate([{ $match }, ...SUM_BY_START], READ_OPTIONS);
  const ranges = toRanges(period, (await sums.toArray()) as StartCount[]);
  if (accountIds.length === 1) return ranges;
  return mapConcurrently(ranges, async (part) => ({
    ...part,
    count: await countAttempted(view, attempted, { ...part, upTo }),
  }));
}

const countAttempted = ({ collections }: ReadView, attempted: AttemptSelection, range: RowRange): Promise<number> =>
  collections.attempts.countDocuments(attemptFilter(attempted, range), { ...READ_OPTIONS, hint: 'byAccount' });

interface StartCount {
  readonly _id: Instant;
  readonly count: number;
}

const SUM_BY_START = [{ $group: { _id: '$start', count: { $sum: '$requests' } } }, { $sort: { _id: -1 } }];

const toRanges = (period: Period, counts: readonly StartCount[]): CountedRange[] =>
  counts
    .filter(({ count }) => count > 0)
    .map(({ _id: start, count }) => ({ period, from: start, to: endOf(period, start), count }));

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
        await visit(await countedRanges(view, selection, { period: nextShorterPeriod[period], from, to }));
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

/** The rows at these positions, latest first. */
/** See `RequestLogQueries.rows`. */
export async function rowsAt({ collections }: ReadView, positions: readonly number[]): Promise<RequestLogRow[]> {
  if (positions.length === 0) return [];
  const documents = await collections.requests.find({ _id: { $in: [...positions] } }, READ_OPTIONS).toArray();
  return documents
    .map((document) => requestLogRow(document as RequestDocument))
    .sort((a, b) => b.requestedAt - a.requestedAt || b.position - a.position);
}

async function countsByKind(
  { collections }: ReadView,
  { period, from, to }: PeriodRange,
  upTo: Position | undefined,
): Promise<KindCount[]> {
  const group = { $group: { _id: '$kind', count: { $sum: period ? '$requests' : 1 } } };
  const found = period
    ? collections.requestsByKind.aggregate(
        [{ $match: { period, start: { $gte: from, $lt: to } } }, group],
        READ_OPTIONS,
      )
    : collections.requests.aggregate([{ $match: rowsWithin({ from, to, upTo }, '_id') }, group], {
        ...READ_OPTIONS,
        hint: 'byTime',
      });
  return (await found.toArray()).map(({ _id, count }) => ({ kind: _id as string, count: count as number }));
}

/** The numbers of requests by source. */
async function countsBySource(
  { collections }: ReadView,
  { period, from, to }: PeriodRange,
  upTo: Position | undefined,
): Promise<(readonly [RequestSource, number])[]> {
  const projection = { _id: 0, apiKeyId: 1, errorCode: 1, owner: 1, team: 1, transport: 1 };
  if (period) {
    const sums = collections.requestsBySource.find(
      { period, start: { $gte: from, $lt: to } },
      { ...READ_OPTIONS, projection: { ...projection, requests: 1 } },
    );
    return (await sums.toArray()).map(({ requests, ...source }) => [source as RequestSource, requests]);
  }
  const options = { ...READ_OPTIONS, hint: 'byTime', projection };
  const rows = collections.requests.find(rowsWithin({ from, to, upTo }, '_id'), options);
  return (await rows.toArray()).map((source) => [source as unknown as RequestSource, 1]);
}

/** Runs all concurrently. @returns the results in the order of the values */
const mapConcurrently = <Value, Result>(values: readonly Value[], work: (value: Value) => Promise<Result>) =>
  Promise.all(values.map(work));
