import type { DatabaseSync } from 'node:sqlite';
import { endOf, type Period, startOf } from '../../../projections/periods.ts';
import { requestLog } from '../../../projections/requestLog.ts';
import { type Instant, instant, type Position } from '../../domain/core/brands.ts';
import { type ArchivedDay, endOfArchivedDay } from '../archivedDays.ts';
import { type Cut, lastPositionOf, splitAtCut } from '../cut.ts';
import { MAX_INSTANT, type PeriodRange } from '../periodRanges.ts';
import { filterOptions, modelsServed, timeRangeOf } from '../requestFilter.ts';
import type { RequestLogFilter, RequestLogOptions, RequestLogPage } from '../requestLogQueries.ts';
import { isLatestFirst, partToSort, type RequestLogSort } from '../requestLogSort.ts';
import { needsRows, sourceOptions } from '../sourceFilter.ts';
import { attemptCounts, countsByAttempted } from './attemptCounts.ts';
import { forEachAttempt, pageOfAttempts } from './attemptList.ts';
import { pageConditions, positionsByColumns } from './columnPages.ts';
import type { PeriodCounts } from './periodCounts.ts';
import { searchRequests } from './requestSearch.ts';
import {
  type AttemptSelection,
  attemptsIn,
  type KindSelection,
  kindCondition,
  type RequestSelection,
  rowCondition,
  selectionOf,
} from './requestSelection.ts';
import { periodNumber } from './rollUpTable.ts';
import { countRows, countsOfSelection, scanRows } from './sourceScan.ts';
import type { Tables } from './tables.ts';

/** A period with more matches than this is split into shorter ones; in others the rows are scanned. */
const MAX_SCANNED_ROWS = 5_000;

interface CountedRange extends PeriodRange {
  readonly count: number;
}

const indexed = (kinds: KindSelection | undefined) =>
  kinds?.isFailedOnly ? 'INDEXED BY failedRequestsByTime WHERE failed = 1 AND' : 'INDEXED BY requestsByTime WHERE';

type PageTables = Pick<Tables, 'requests' | 'requestIds' | 'figures' | 'attemptCounts'>;

/** Finds positions of rows of a range, the latest first. */
type FindInRange = (range: CountedRange, limit: number, offset: number) => number[];

/** A page as the positions of its rows. */
interface FoundPage {
  readonly positions: readonly number[];
  readonly total: number;
}

/**
 * See `RequestLogQueries.page`.
 * @param head position that the read models reach
 * @param cut undefined for all rows
 * @param archived days whose requests have no rows: up to there roll-ups count more than there is
 */
export function requestLogPage(
  database: DatabaseSync,
  tables: PageTables,
  filter: RequestLogFilter,
  limit: number,
  offset: number,
  head: Position,
  archived: readonly ArchivedDay[] = [],
  cut?: Cut,
): RequestLogPage {
  const { sort } = filter;
  const find = (count: number, skip: number) => latestFirst(database, tables, filter, count, skip, head, archived, cut);
  const { requests } = tables;
  if (sort === undefined || isLatestFirst(sort)) {
    const { positions, total } = find(limit, offset);
    return { rows: requests.at(positions), total };
  }
  const { total } = find(0, 0);
  const part = partToSort(sort, total, { limit, offset });
  if (!part) return { rows: [], total, isTooLargeToSort: true };
  const { positions } = find(part.limit, part.offset);
  if (sort.by === 'requestedAt') return { rows: requests.at(positions).toReversed(), total };
  return { rows: requests.inOrder(sortedPositions(database, positions, sort, limit, offset)), total };
}

/** The rows are read without their texts, and only those of the page in full. */
function sortedPositions(
  database: DatabaseSync,
  positions: readonly number[],
  { by, isDescending }: RequestLogSort,
  limit: number,
  offset: number,
): number[] {
  const value = by === 'tokens' ? 'inputTokens + outputTokens' : by;
  const rows = database
    .prepare(
      `SELECT position FROM requests WHERE position IN (SELECT value FROM json_each(?))
       ORDER BY ${value} ${isDescending ? 'DESC' : 'ASC'} NULLS LAST, requestedAt DESC, position DESC LIMIT ? OFFSET ?`,
    )
    .all(JSON.stringify(positions), limit, offset) as { position: number }[];
  return rows.map(({ position }) => position);
}

function latestFirst(
  database: DatabaseSync,
  tables: PageTables,
  filter: RequestLogFilter,
  limit: number,
  offset: number,
  head: Position,
  archived: readonly ArchivedDay[],
  cut: Cut | undefined,
): FoundPage {
  const { requests: table, requestIds } = tables;
  const selection = selectionOf(filter, table, lastPositionOf(cut));
  if (filter.after !== undefined) return newRequests(database, selection, filter.after, limit, offset);
  if (filter.search) {
    const found = searchRequests(database, requestIds, selection, filter.search, limit, offset, head);
    if (found) return found;
  }
  const { attempted, kinds } = selection;
  // As for an account that was tried before another one: its attempts say all, of which there are fewer than requests of any period.
  if (attempted && !selection.source && !kinds?.bytes.includes(1))
    return pageOfAttempts(attempted.list(), { ...selection, bytes: attempted.bytes }, limit, offset);
  const periods = selection.source ? NO_PERIODS : countsFor(selection.kinds).periods;
  const { from, to } = selection;
  const rowsOnlyTo = instant(Math.min(to, Math.max(from, ...archived.map(endOfArchivedDay))));
  const ranges = [...splitAtCut(rowsOnlyTo, to, cut, periods), { period: undefined, from, to: rowsOnlyTo }]
    .filter((range) => range.from < range.to)
    .flatMap((range) => countedRanges(database, tables, selection, range));
  const total = ranges.reduce((sum, { count }) => sum + count, 0);
  const conditions = pageConditions(database, tables, filter, selection.upTo);
  const find: FindInRange = (range, count, skip) =>
    (selection.kinds && positionsByColumns(tables, conditions, range, selection.upTo, count, skip)) ??
    scan(database, selection, range, count, skip);
  return { positions: positionsOfPage(database, tables, selection, ranges, find, limit, offset), total };
}

/** A page of the requests that ended after a position, found along the positions. */
function newRequests(
  database: DatabaseSync,
  selection: RequestSelection,
  after: Position,
  limit: number,
  offset: number,
): FoundPage {
  const { sql, values } = rowCondition(selection, 'requests');
  const found = database
    .prepare(
      `SELECT position FROM requests NOT INDEXED WHERE position > ? AND requestedAt >= ? AND requestedAt < ? ${sql}
       ORDER BY requestedAt DESC, position DESC`,
    )
    .all(after, selection.from, selection.to, ...values) as { position: number }[];
  return { positions: found.slice(offset, offset + limit).map(({ position }) => position), total: found.length };
}

const NO_PERIODS: readonly Period[] = [];

/** See `RequestLogQueries.options`. */
export function requestLogOptions(
  database: DatabaseSync,
  tables: Pick<Tables, 'requests' | 'kindCounts' | 'attemptCounts' | 'sourceCounts'>,
  filter: RequestLogFilter,
  cut?: Cut,
): RequestLogOptions {
  const { requests: table, kindCounts } = tables;
  const range = timeRangeOf(filter);
  const { attemptedAccountIds } = filter;
  // Each list ignores another condition, so all of them are evaluated on the counts.
  const isBeyond = table.hasBeyond(filter);
  const bySource = (isBeyond || needsRows(filter)) && selectionOf(withoutKinds(filter), table, lastPositionOf(cut));
  const { attempted } = selectionOf(attemptedAccountIds ? { attemptedAccountIds } : {}, table);
  const sources = sourceOptions(
    [...countsBySource(database, tables.sourceCounts, range, cut)].map(([id, n]) => [table.sources.entryOf(id), n]),
    filter,
  );
  if (bySource) {
    const counts = countsOfSelection(database, table, bySource, filter, isBeyond);
    return { ...filterOptions(counts, filter), ...sources };
  }
  const entryOf = ([id, count]: readonly [number, number]) => [table.kinds.entryOf(id), count] as const;
  const attempts = attemptCounts(database, tables, range, cut);
  const rows = { ...range, upTo: lastPositionOf(cut) };
  const wanted = new Set(attemptedAccountIds);
  const options = filterOptions(
    {
      kinds: [...countsByKind(database, kindCounts, range, cut)].map(entryOf),
      attempts,
      attempted: attempted && !attempted.isOne ? countsByAttempted(table, attempted, wanted, attempts, rows) : [],
    },
    filter,
  );
  return { ...options, ...sources };
}

/** The conditions of a filter that are evaluated on rows. */
const withoutKinds = ({
  search: _,
  accountIds: __,
  attemptedAccountIds: ___,
  statuses: ____,
  models: _____,
  efforts: ______,
  modelOptions: _______,
  ...rest
}: RequestLogFilter): RequestLogFilter => rest;

/** See `RequestLogQueries.models`. */
export function modelsWithSuccess(
  database: DatabaseSync,
  { requests: { kinds }, kindCounts }: Pick<Tables, 'requests' | 'kindCounts'>,
  cut?: Cut,
): string[] {
  const counts = cut && countsByKind(database, kindCounts, { from: instant(0), to: MAX_INSTANT }, cut);
  const entries = counts ? [...counts.keys()].map((id) => kinds.entryOf(id)) : kinds.entries;
  return modelsServed(entries);
}

/** Without a condition on kinds the smallest roll-up has the same counts, and by shorter periods. */
function countsFor(kinds: KindSelection | undefined) {
  const table = kinds ? 'requestsByKind' : 'requestsByErrorCode';
  return { table, periods: requestLog.periods[table] };
}

/** The periods of a range that contain matches, with their counts. */
function countedRanges(
  database: DatabaseSync,
  tables: Pick<Tables, 'attemptCounts'>,
  selection: RequestSelection,
  range: PeriodRange,
): CountedRange[] {
  if (selection.source) return [{ ...range, count: countRows(database, selection, range) }];
  const own = countedByKind(database, selection, range);
  if (!selection.attempted) return own;
  const counts = new Map(own.map((counted) => [counted.from, counted]));
  const { attempted, upTo } = selection;
  const tried = attempted.isOne
    ? countedByOneAttempt(database, tables, attempted, range, upTo)
    : countedByAttempt(attempted, range, upTo);
  for (const counted of tried) {
    const count = (counts.get(counted.from)?.count ?? 0) + counted.count;
    counts.set(counted.from, { ...counted, count });
  }
  return [...counts.values()].sort((a, b) => b.from - a.from);
}

function countedByKind(database: DatabaseSync, { kinds, upTo }: RequestSelection, range: PeriodRange): CountedRange[] {
  const { period, from, to } = range;
  const bytes = kinds ? [kinds.bytes] : [];
  if (!period) {
    const found = database
      .prepare(
        `SELECT COUNT(*) AS count FROM requests ${indexed(kinds)} requestedAt >= ? AND requestedAt < ? AND position <= ?
         ${kindCondition(kinds)}`,
      )
      .get(from, to, upTo, ...bytes);
    return [{ ...range, count: found?.count as number }];
  }
  const { table } = countsFor(kinds);
  const rows = database
    .prepare(
      `SELECT start, SUM(requests) AS count FROM ${table}
       WHERE period = ? AND start >= ? AND start < ? ${kindCondition(kinds)}
       GROUP BY start HAVING SUM(requests) > 0 ORDER BY start DESC`,
    )
    .all(periodNumber(period), from, to, ...bytes) as { start: Instant; count: number }[];
  return rows.map(({ start, count }) => ({ period, from: start, to: endOf(period, start), count }));
}

/** The requests that tried an account, by the periods that have any: sums say it, without reading its attempts. */
function countedByOneAttempt(
  database: DatabaseSync,
  { attemptCounts }: Pick<Tables, 'attemptCounts'>,
  attempted: AttemptSelection,
  range: PeriodRange,
  upTo: number,
): CountedRange[] {
  const { period, from, to } = range;
  if (period)
    return attemptCounts
      .sums(period, from, to, attempted.attemptKinds())
      .map(({ start, count }) => ({ period, from: start, to: endOf(period, start), count }));
  const { sql, values } = attemptsIn(attempted, { from, to, upTo });
  const count = database.prepare(`SELECT COUNT(*) AS count ${sql}`).get(...values)?.count as number;
  return count === 0 ? [] : [{ ...range, count }];
}

/** The requests that tried one of the accounts, by the periods that have any. */
function countedByAttempt({ bytes, list }: AttemptSelection, range: PeriodRange, upTo: number): CountedRange[] {
  const { period, from, to } = range;
  const found: (CountedRange & { count: number })[] = [];
  let last: { readonly to: Instant; count: number } | undefined;
  forEachAttempt(list(), { from, to, upTo, bytes }, (at) => {
    if (!last || at >= last.to) {
      const start = period ? startOf(period, instant(at)) : from;
      const next = { period, from: start, to: period ? endOf(period, start) : to, count: 0 };
      found.push(next);
      last = next;
    }
    last.count++;
  });
  return found;
}

/** Failed requests are few: scanning their own index is faster than splitting periods. */
function isSplit({ period, count }: CountedRange, { kinds, attempted }: RequestSelection): boolean {
  if (period === 'month' && (!kinds?.isFailedOnly || attempted)) return true;
  return period !== undefined && period !== countsFor(kinds).periods[0] && count > MAX_SCANNED_ROWS;
}

/** Positions of one page. Ranges before the page are skipped by their counts; the index is scanned only where the page is. */
function positionsOfPage(
  database: DatabaseSync,
  tables: Pick<Tables, 'attemptCounts'>,
  selection: RequestSelection,
  ranges: readonly CountedRange[],
  find: FindInRange,
  limit: number,
  offset: number,
): number[] {
  const found: number[] = [];
  let toSkip = offset;
  const visit = (inner: readonly CountedRange[]) => {
    for (const range of inner) {
      if (found.length >= limit) return;
      if (toSkip >= range.count) {
        toSkip -= range.count;
      } else if (isSplit(range, selection)) {
        const { periods } = countsFor(selection.kinds);
        const period = range.period && periods[periods.indexOf(range.period as never) - 1];
        visit(countedRanges(database, tables, selection, { period, from: range.from, to: range.to }));
      } else {
        const missing = Math.min(limit - found.length, range.count - toSkip);
        found.push(...find(range, missing, toSkip));
        toSkip = 0;
      }
    }
  };
  visit(ranges);
  return found;
}

function scan(
  database: DatabaseSync,
  selection: RequestSelection,
  { from, to, count }: CountedRange,
  limit: number,
  offset: number,
): number[] {
  const { kinds, attempted, upTo, source } = selection;
  if (source) return scanRows(database, selection, { from, to, count }, limit, offset);
  const attempts = attempted && attemptsIn(attempted, { from, to, upTo });
  const rows = database
    .prepare(
      `SELECT requestedAt, position FROM requests ${indexed(kinds)} requestedAt >= ? AND requestedAt < ? AND position <= ?
       ${kindCondition(kinds)} ${attempts ? `UNION ALL SELECT requestedAt, position ${attempts.sql}` : ''}
       ORDER BY requestedAt DESC, position DESC LIMIT ? OFFSET ?`,
    )
    .all(from, to, upTo, ...(kinds ? [kinds.bytes] : []), ...(attempts?.values ?? []), limit, offset) as {
    position: number;
  }[];
  return rows.map(({ position }) => position);
}

const countsByKind = (...args: CountsArgs) => countsBy('kindId', ...args);
const countsBySource = (...args: CountsArgs) => countsBy('sourceId', ...args);

type CountsArgs = [
  database: DatabaseSync,
  groups: PeriodCounts,
  range: { readonly from: Instant; readonly to: Instant },
  cut: Cut | undefined,
];

/** The numbers of requests by the id of their kind or of their source. */
function countsBy(group: 'kindId' | 'sourceId', ...[database, groups, range, cut]: CountsArgs): Map<number, number> {
  const counts = new Map<number, number>();
  const inRows = database.prepare(
    `SELECT ${group} AS id, COUNT(*) AS count FROM requests INDEXED BY requestsByTime
     WHERE requestedAt >= ? AND requestedAt < ? AND position <= ? GROUP BY ${group}`,
  );
  for (const { period, from, to } of splitAtCut(range.from, range.to, cut)) {
    if (period) {
      groups.forEach(period, from, to, (id, count) => counts.set(id, (counts.get(id) ?? 0) + count));
      continue;
    }
    for (const { id, count } of inRows.all(from, to, lastPositionOf(cut)) as { id: number; count: number }[]) {
      counts.set(id, (counts.get(id) ?? 0) + count);
    }
  }
  return counts;
}
