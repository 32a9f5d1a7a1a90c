import type { DatabaseSync } from 'node:sqlite';
import { REQUEST_SUMS, type RequestSums } from '../../../projections/requestLog.ts';
import type { Instant } from '../../domain/brands.ts';
import type { RequestTotals } from '../requestTotalsQueries.ts';
import { cut, FAR_AHEAD, type TimePiece } from '../timePieces.ts';
import type { RequestTable } from './requestTable.ts';
import { periodNumber } from './rollUpTable.ts';

const SUMS = REQUEST_SUMS.map((name) => `SUM(${name}) AS ${name}`).join(', ');

type OutcomeSums = Partial<RequestSums> & { readonly outcomeId: number };

/** Sums over everything that arrived at `since` or later: whole periods from roll-ups, the open hour from its rows. */
export function requestTotalsSince(database: DatabaseSync, table: RequestTable, since: Instant): RequestTotals {
  const totals = Object.fromEntries(REQUEST_SUMS.map((name) => [name, 0])) as Record<keyof RequestSums, number>;
  const byErrorCode: Record<string, number> = {};
  for (const piece of cut(since, FAR_AHEAD)) {
    for (const { outcomeId, ...sums } of sumsIn(database, piece)) {
      for (const name of REQUEST_SUMS) totals[name] += sums[name] ?? 0;
      const { errorCode } = table.outcomes.entryOf(outcomeId);
      const { requests = 0, unlogged = 0 } = sums;
      if (errorCode !== null) byErrorCode[errorCode] = (byErrorCode[errorCode] ?? 0) + requests + unlogged;
    }
  }
  return { ...totals, byErrorCode };
}

function sumsIn(database: DatabaseSync, { period, from, to }: TimePiece): OutcomeSums[] {
  if (period) {
    return database
      .prepare(
        `SELECT outcomeId, ${SUMS} FROM requestsByOutcome WHERE period = ? AND start >= ? AND start < ? GROUP BY outcomeId`,
      )
      .all(periodNumber(period), from, to) as unknown as OutcomeSums[];
  }
  const logged = database
    .prepare(
      `SELECT outcomeId, COUNT(*) AS requests, TOTAL(failed) AS errors,
         TOTAL(inputTokens) AS inputTokens, TOTAL(outputTokens) AS outputTokens,
         TOTAL(cachedInputTokens) AS cachedInputTokens, TOTAL(reasoningTokens) AS reasoningTokens,
         TOTAL(costMicroDollars) AS costMicroDollars, TOTAL(latencyMs) AS latencyMs
       FROM requests INDEXED BY requestsByTime WHERE requestedAt >= ? AND requestedAt < ? GROUP BY outcomeId`,
    )
    .all(from, to);
  const unlogged = database
    .prepare(
      'SELECT outcomeId, SUM(unlogged) AS unlogged FROM refusals WHERE minute >= ? AND minute < ? GROUP BY outcomeId',
    )
    .all(from, to);
  return [...logged, ...unlogged] as unknown as OutcomeSums[];
}
