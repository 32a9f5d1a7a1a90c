import type { RequestKind, RequestSource } from '../../../projections/requestLog.ts';
import type { Position } from '../../domain/core/brands.ts';
import { type Cut, splitAtCut } from '../cut.ts';
import { ListedAttempts } from '../listedAttempts.ts';
import type { PeriodRange } from '../periodRanges.ts';
import {
  filterOptions,
  kindNamed,
  modelsServed,
  namesPredicate,
  type RequestCounts,
  timeRangeOf,
} from '../requestFilter.ts';
import type { RequestLogFilter, RequestLogOptions } from '../requestLogQueries.ts';
import { sourceOptions } from '../sourceFilter.ts';
import { countsByAttempt, countsByAttempted, type KindCount } from './attemptCounts.ts';
import { READ_OPTIONS, type ReadView } from './readView.ts';
import {
  hasBeyond,
  type RequestSelection,
  rowFilters,
  rowsWithin,
  type SourceSelection,
  selectMatches,
  selectSource,
} from './requestSelection.ts';
import { separate, sumsWithin } from './wholePeriods.ts';

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
  const sources = sourceOptions(await countsBySource(view, parts, cut?.asOf), filter);
  const isBeyond = await hasBeyond(view, filter);
  const source = selectSource(filter) ?? (isBeyond ? ALL_ROWS : undefined);
  if (source) {
    const rows = { ...range, upTo: cut?.asOf, kinds: undefined, source };
    return { ...filterOptions(await countsOfRows(view, rows, source, all, filter), filter), ...sources };
  }
  // Each list ignores another condition, so all of them are evaluated on the counts.
  const { attempted } = await selectMatches(view, attemptedAccountIds ? { attemptedAccountIds } : {});
  const [kinds, attempts, further] = await Promise.all([
    countsByKind(view, parts, cut?.asOf),
    countsByAttempt(view, parts, cut?.asOf),
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
      kinds: kinds.flatMap(known),
      attempts: new ListedAttempts(
        attempts.flatMap(({ attemptedAccountId, ...counted }) =>
          known(counted).map(([kind, count]) => ({ accountId: attemptedAccountId, kind, count })),
        ),
      ),
      attempted: further.flatMap(known),
    },
    filter,
  );
  return { ...options, ...sources };
}

const ALL_ROWS: SourceSelection = { conditions: {}, hint: 'byTime' };
const ROW_OF_KIND = { _id: 0, kind: 1, otherAccountIds: 1, modelBeyond: 1, effortBeyond: 1 };

/** The numbers of requests by kind among rows, for the lists of options. Added up here: FerretDB groups by one field only. */
async function countsOfRows(
  { collections }: ReadView,
  selection: RequestSelection,
  { hint }: SourceSelection,
  all: ReadonlyMap<string, RequestKind>,
  filter: RequestLogFilter,
): Promise<RequestCounts> {
  const wanted = new Set(filter.attemptedAccountIds);
  const isWanted = namesPredicate(filter);
  const named = new Map<string, RequestKind>();
  const kinds = new Map<RequestKind, number>();
  const attempts = new Map<RequestKind, Map<string, number>>();
  const attempted = new Map<RequestKind, number>();
  const rows = collections.requests.find(
    { $or: rowFilters(selection) },
    { ...READ_OPTIONS, hint, projection: ROW_OF_KIND },
  );
  for await (const { kind: id, otherAccountIds = [], modelBeyond = null, effortBeyond = null } of rows) {
    const entry = all.get(id);
    if (!entry) continue;
    const own = kindNamed(entry, { modelBeyond, effortBeyond }, isWanted);
    const key = own === entry ? id : JSON.stringify(own);
    const kind = named.get(key) ?? own;
    named.set(key, kind);
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
    attempts: new ListedAttempts(
      [...attempts].flatMap(([kind, tried]) => [...tried].map(([accountId, count]) => ({ accountId, kind, count }))),
    ),
    attempted: [...attempted],
  };
}

/** See `RequestLogQueries.models`. */
export async function modelsWithSuccess(view: ReadView, cut?: Cut): Promise<readonly string[]> {
  const all = await view.kinds.upTo(view.position);
  const kinds = cut ? await kindsAt(view, all, cut) : [...all.values()];
  return modelsServed(kinds);
}

/** The kinds that have requests up to a cut. */
async function kindsAt(view: ReadView, all: ReadonlyMap<string, RequestKind>, cut: Cut): Promise<RequestKind[]> {
  const { from, to } = timeRangeOf({});
  const counts = await countsByKind(view, splitAtCut(from, to, cut), cut.asOf);
  const ids = new Set(counts.flatMap(({ kind, count }) => (count > 0 ? [kind] : [])));
  return [...ids].flatMap((id) => all.get(id) ?? []);
}

async function countsByKind(
  { collections }: ReadView,
  ranges: readonly PeriodRange[],
  upTo: Position | undefined,
): Promise<KindCount[]> {
  const { requests, requestsByKind } = collections;
  const { whole, partial } = separate(ranges);
  const sumByKind = (counted: 1 | '$requests') => ({ $group: { _id: '$kind', count: { $sum: counted } } });
  const found = await Promise.all([
    whole.length > 0
      ? requestsByKind.aggregate([{ $match: sumsWithin(whole) }, sumByKind('$requests')], READ_OPTIONS).toArray()
      : [],
    ...partial.map(({ from, to }) =>
      requests
        .aggregate([{ $match: rowsWithin({ from, to, upTo }, '_id') }, sumByKind(1)], {
          ...READ_OPTIONS,
          hint: 'byTime',
        })
        .toArray(),
    ),
  ]);
  return found.flat().map(({ _id, count }) => ({ kind: _id as string, count: count as number }));
}

const SOURCE = { _id: 0, apiKeyId: 1, errorCode: 1, owner: 1, team: 1, transport: 1 } as const;

/** The numbers of requests by source. Added up by the caller: FerretDB groups by one field only. */
async function countsBySource(
  { collections }: ReadView,
  ranges: readonly PeriodRange[],
  upTo: Position | undefined,
): Promise<(readonly [RequestSource, number])[]> {
  const { requests, requestsBySource } = collections;
  const { whole, partial } = separate(ranges);
  const [sums, ...rows] = await Promise.all([
    whole.length > 0
      ? requestsBySource.find(sumsWithin(whole), { ...READ_OPTIONS, projection: { ...SOURCE, requests: 1 } }).toArray()
      : [],
    ...partial.map(({ from, to }) =>
      requests
        .find(rowsWithin({ from, to, upTo }, '_id'), { ...READ_OPTIONS, hint: 'byTime', projection: SOURCE })
        .toArray(),
    ),
  ]);
  return [
    ...sums.map(({ requests: count, ...source }) => [source as RequestSource, count] as const),
    ...rows.flat().map((source) => [source as RequestSource, 1] as const),
  ];
}
