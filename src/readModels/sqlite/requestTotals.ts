import type { DatabaseSync } from 'node:sqlite';
import { REQUEST_SUMS, type RequestSums, requestLog } from '../../../projections/requestLog.ts';
import type { Instant } from '../../domain/core/brands.ts';
import { longestPeriodDividing, MAX_INSTANT, type PeriodRange, splitByPeriod } from '../periodRanges.ts';
import type { RequestStep, RequestTotals } from '../requestTotalsQueries.ts';
import { periodNumber } from './rollUpTable.ts';

const SUMS = REQUEST_SUMS.map((name) => `SUM(${name}) AS ${name}`).join(', ');

type CodeSums = Partial<RequestSums> & { readonly errorCode: string | null };

/** Sums over the requests that arrived at `since` or later: whole periods from a roll-up, a part of a minute from its rows. */
export function requestTotalsSince(database: DatabaseSync, since: Instant): RequestTotals {
  const totals = Object.fromEntries(REQUEST_SUMS.map((name) => [name, 0])) as Record<keyof RequestSums, number>;
  const byErrorCode: Record<string, number> = {};
  for (const range of splitByPeriod(since, MAX_INSTANT, requestLog.periods.requestsByErrorCode)) {
    for (const { errorCode, ...sums } of sumsIn(database, range)) {
      for (const name of REQUEST_SUMS) totals[name] += sums[name] ?? 0;
      const { requests = 0, unlogged = 0 } = sums;
      if (errorCode) byErrorCode[errorCode] = (byErrorCode[errorCode] ?? 0) + requests + unlogged;
    }
  }
  return { ...totals, byErrorCode };
}

/** Sums per step, from the longest periods that divide a step. */
export function requestSteps(database: DatabaseSync, since: Instant, stepMs: number): RequestStep[] {
  return database
    .prepare(
      `SELECT start - start % ? AS start, ${SUMS} FROM requestsByErrorCode WHERE period = ? AND start >= ?
       GROUP BY 1 ORDER BY 1`,
    )
    .all(stepMs, periodNumber(longestPeriodDividing(stepMs)), since) as unknown as RequestStep[];
}

function sumsIn(database: DatabaseSync, { period, from, to }: PeriodRange): CodeSums[] {
  if (period) {
    return database
      .prepare(
        `SELECT errorCode, ${SUMS} FROM requestsByErrorCode WHERE period = ? AND start >= ? AND start < ? GROUP BY errorCode`,
      )
      .all(periodNumber(period), from, to) as unknown as CodeSums[];
  }
  const logged = database
    .prepare(
      `SELECT errorCode, COUNT(*) AS requests, TOTAL(failed) AS errors,
         TOTAL(inputTokens) AS inputTokens, TOTAL(outputTokens) AS outputTokens,
         TOTAL(cachedInputTokens) AS cachedInputTokens, TOTAL(reasoningTokens) AS reasoningTokens,
         TOTAL(costMicroDollars) AS costMicroDollars, TOTAL(latencyMs) AS latencyMs
       FROM requests INDEXED BY requestsByTime JOIN requestOutcomes ON requestOutcomes.id = outcomeId
       WHERE requestedAt >= ? AND requestedAt < ? GROUP BY errorCode`,
    )
    .all(from, to);
  const unlogged = database
    .prepare(
      `SELECT errorCode, SUM(unlogged) AS unlogged FROM refusals JOIN requestOutcomes ON requestOutcomes.id = outcomeId
       WHERE minute >= ? AND minute < ? GROUP BY errorCode`,
    )
    .all(from, to);
  return [...logged, ...unlogged] as unknown as CodeSums[];
}
