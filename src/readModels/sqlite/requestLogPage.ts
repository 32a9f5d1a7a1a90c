import type { DatabaseSync } from 'node:sqlite';
import type { Period } from '../../../projections/periods.ts';
import { instant, type Position } from '../../domain/core/brands.ts';
import { type ArchivedDay, endOfArchivedDay } from '../archivedDays.ts';
import { type Cut, lastPositionOf, splitAtCut } from '../cut.ts';
import type { RequestLogFilter, RequestLogPage } from '../requestLogQueries.ts';
import { isLatestFirst, partToSort, type RequestLogSort } from '../requestLogSort.ts';
import { pageOfAttempts } from './attemptList.ts';
import { pageConditions, positionsByColumns } from './columnPages.ts';
import { type CountedRange, countedRanges, countsFor, indexed, isSplit } from './countedRanges.ts';
import { searchRequests } from './requestSearch.ts';
import { attemptsIn, kindCondition, type RequestSelection, rowCondition, selectionOf } from './requestSelection.ts';
import { scanRows } from './sourceScan.ts';
import type { Tables } from './tables.ts';

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
