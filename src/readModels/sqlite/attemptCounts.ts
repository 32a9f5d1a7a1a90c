import type { DatabaseSync } from 'node:sqlite';
import { type AttemptKind, requestLog } from '../../../projections/requestLog.ts';
import { splitByPeriod } from '../periodRanges.ts';
import { type AttemptSelection, attemptsIn, type RequestSelection } from './requestSelection.ts';
import type { RequestTable } from './requestTable.ts';
import { periodNumber } from './rollUpTable.ts';

type TimeRange = Pick<RequestSelection, 'from' | 'to'>;

/** The numbers of requests that tried each account before their own. */
export function attemptCounts(
  database: DatabaseSync,
  { kinds, attemptKinds }: RequestTable,
  { from, to }: TimeRange,
): (readonly [AttemptKind, number])[] {
  const inPeriods = database.prepare(
    `SELECT attemptKindId AS id, SUM(requests) AS count FROM requestsByAttempt
     WHERE period = ? AND start >= ? AND start < ? GROUP BY attemptKindId`,
  );
  const inRows = database.prepare(
    `SELECT accountId AS attemptedAccountId, kindId, COUNT(*) AS count FROM otherAttempts INDEXED BY otherAttemptsByTime
     WHERE requestedAt >= ? AND requestedAt < ? GROUP BY accountId, kindId`,
  );
  return splitByPeriod(from, to, requestLog.periods.requestsByAttempt).flatMap((range) => {
    if (range.period) {
      const found = inPeriods.all(periodNumber(range.period), range.from, range.to) as { id: number; count: number }[];
      return found.map(({ id, count }) => [attemptKinds.entryOf(id), count] as const);
    }
    const found = inRows.all(range.from, range.to) as { attemptedAccountId: string; kindId: number; count: number }[];
    return found.map(
      ({ attemptedAccountId, kindId, count }) => [{ attemptedAccountId, ...kinds.entryOf(kindId) }, count] as const,
    );
  });
}

/** The numbers of requests that a selection finds by an account which was tried before their own, by kind id. */
export function countsByAttempted(
  database: DatabaseSync,
  attempted: AttemptSelection,
  { from, to }: TimeRange,
): [kindId: number, count: number][] {
  const { sql, values } = attemptsIn(attempted, from, to);
  const statement = database.prepare(`SELECT kindId, COUNT(*) ${sql} GROUP BY kindId`);
  statement.setReturnArrays(true);
  return statement.all(...values) as unknown as [number, number][];
}
