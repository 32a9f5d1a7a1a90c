import type { DatabaseSync } from 'node:sqlite';
import { type RequestKind, requestLog } from '../../../projections/requestLog.ts';
import { type Cut, lastPositionOf, splitAtCut } from '../cut.ts';
import type { AttemptCount } from '../requestFilter.ts';
import { type AttemptList, forEachAttempt } from './attemptList.ts';
import type { AttemptSelection, RequestSelection, RowRange } from './requestSelection.ts';
import type { RequestTable } from './requestTable.ts';
import type { Tables } from './tables.ts';

type TimeRange = Pick<RequestSelection, 'from' | 'to'>;

/** The numbers of requests that tried each account before their own, by kind. */
export function attemptCounts(
  database: DatabaseSync,
  { requests: { kinds, attemptKinds }, attemptCounts: counts }: Pick<Tables, 'requests' | 'attemptCounts'>,
  { from, to }: TimeRange,
  cut: Cut | undefined,
): AttemptCount[] {
  const inRows = database.prepare(
    `SELECT accountId, kindId, COUNT(*) AS count FROM otherAttempts INDEXED BY otherAttemptsByTime
     WHERE requestedAt >= ? AND requestedAt < ? AND position <= ? GROUP BY accountId, kindId`,
  );
  const sums = new Float64Array(attemptKinds.entries.length + 1);
  const found: AttemptCount[] = [];
  for (const range of splitAtCut(from, to, cut, requestLog.periods.requestsByAttempt)) {
    if (range.period) {
      counts.forEach(range.period, range.from, range.to, (id, count) => {
        sums[id] = (sums[id] as number) + count;
      });
      continue;
    }
    const rows = inRows.all(range.from, range.to, lastPositionOf(cut)) as {
      accountId: string;
      kindId: number;
      count: number;
    }[];
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

/**
 * The numbers of requests that a selection finds by one of several accounts that were tried before their own, by kind. A kind may
 * occur more than once: the sums count a request for each of the accounts, so what is counted again is taken off.
 * @param attempts of the same time range
 */
export function countsByAttempted(
  { kinds, otherAttempts }: Pick<RequestTable, 'kinds' | 'otherAttempts'>,
  { bytes, list }: AttemptSelection,
  wanted: ReadonlySet<string>,
  attempts: readonly AttemptCount[],
  range: RowRange,
): [kind: RequestKind, count: number][] {
  const found: [RequestKind, number][] = [];
  for (const { accountId, kind, count } of attempts) {
    if (wanted.has(accountId) && (kind.accountId === null || !wanted.has(kind.accountId))) found.push([kind, count]);
  }
  const repeated = new Map<number, number>();
  const add = (attempted: AttemptList, factor: number) =>
    forEachAttempt(attempted, { ...range, bytes }, (_, kind) => repeated.set(kind, (repeated.get(kind) ?? 0) + factor));
  for (const accountId of wanted) add(otherAttempts.of(accountId), 1);
  add(list(), -1);
  for (const [kind, count] of repeated) if (count > 0) found.push([kinds.entryOf(kind), -count]);
  return found;
}
