import type { DatabaseSync } from 'node:sqlite';
import { requestLog } from '../../../projections/requestLog.ts';
import { splitByPeriod } from '../periodRanges.ts';
import type { AttemptCount } from '../requestFilter.ts';
import { type AttemptSelection, attemptsIn, type RequestSelection } from './requestSelection.ts';
import type { Tables } from './tables.ts';

type TimeRange = Pick<RequestSelection, 'from' | 'to'>;

/** The numbers of requests that tried each account before their own, by kind. */
export function attemptCounts(
  database: DatabaseSync,
  { requests: { kinds, attemptKinds }, attemptCounts: counts }: Pick<Tables, 'requests' | 'attemptCounts'>,
  { from, to }: TimeRange,
): AttemptCount[] {
  const inRows = database.prepare(
    `SELECT accountId, kindId, COUNT(*) AS count FROM otherAttempts INDEXED BY otherAttemptsByTime
     WHERE requestedAt >= ? AND requestedAt < ? GROUP BY accountId, kindId`,
  );
  const sums = new Float64Array(attemptKinds.entries.length + 1);
  const found: AttemptCount[] = [];
  for (const range of splitByPeriod(from, to, requestLog.periods.requestsByAttempt)) {
    if (range.period) {
      counts.forEach(range.period, range.from, range.to, (id, count) => {
        sums[id] = (sums[id] as number) + count;
      });
      continue;
    }
    const rows = inRows.all(range.from, range.to) as { accountId: string; kindId: number; count: number }[];
    for (const { accountId, kindId, count } of rows) found.push({ accountId, kind: kinds.entryOf(kindId), count });
  }
  for (let id = 1; id < sums.length; id++) {
    const count = sums[id] as number;
    if (count === 0) continue;
    const { attemptedAccountId, kindId } = attemptKinds.entryOf(id);
    found.push({ accountId: attemptedAccountId, kind: kinds.entryOf(Number(kindId)), count });
  }
  return found;
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
