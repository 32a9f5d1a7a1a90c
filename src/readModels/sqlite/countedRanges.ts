import type { DatabaseSync } from 'node:sqlite';
import { endOf, startOf } from '../../../projections/periods.ts';
import { requestLog } from '../../../projections/requestLog.ts';
import { type Instant, instant } from '../../domain/core/brands.ts';
import type { PeriodRange } from '../periodRanges.ts';
import { forEachAttempt } from './attemptList.ts';
import {
  type AttemptSelection,
  attemptsIn,
  type KindSelection,
  kindCondition,
  type RequestSelection,
} from './requestSelection.ts';
import { periodNumber } from './rollUpTable.ts';
import { countRows } from './sourceScan.ts';
import type { Tables } from './tables.ts';

/** A period with more matches than this is split into shorter ones; in others the rows are scanned. */
const MAX_SCANNED_ROWS = 5_000;

/** A period, or a part of one, with the number of requests of a selection in it. */
export interface CountedRange extends PeriodRange {
  readonly count: number;
}

/** The index of the rows of a selection by time, and the condition that lets SQLite use it. */
export const indexed = (kinds: KindSelection | undefined) =>
  kinds?.isFailedOnly ? 'INDEXED BY failedRequestsByTime WHERE failed = 1 AND' : 'INDEXED BY requestsByTime WHERE';

/** Without a condition on kinds the smallest roll-up has the same counts, and by shorter periods. */
export function countsFor(kinds: KindSelection | undefined) {
  const table = kinds ? 'requestsByKind' : 'requestsByErrorCode';
  return { table, periods: requestLog.periods[table] };
}

/** The periods of a range that contain matches, with their counts. */
export function countedRanges(
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
export function isSplit({ period, count }: CountedRange, { kinds, attempted }: RequestSelection): boolean {
  if (period === 'month' && (!kinds?.isFailedOnly || attempted)) return true;
  return period !== undefined && period !== countsFor(kinds).periods[0] && count > MAX_SCANNED_ROWS;
}
