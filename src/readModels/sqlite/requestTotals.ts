import type { DatabaseSync } from 'node:sqlite';
import { startOf } from '../../../projections/periods.ts';
import { REQUEST_SUMS, type RequestSums, requestLog } from '../../../projections/requestLog.ts';
import { type Instant, instant } from '../../domain/core/brands.ts';
import { type Cut, lastPositionOf, splitAtCut } from '../cut.ts';
import { longestPeriodDividing, MAX_INSTANT, type PeriodRange, SHORTER_PERIODS } from '../periodRanges.ts';
import type { RequestStep, RequestTotals } from '../requestTotalsQueries.ts';
import { periodNumber } from './rollUpTable.ts';

const SUMS = REQUEST_SUMS.map((name) => `SUM(${name}) AS ${name}`).join(', ');

type CodeSums = Partial<RequestSums> & { readonly errorCode: string | null };

/** Sums over the requests that arrived at `since` or later: whole periods from a roll-up, a part of a minute from its rows. */
export function requestTotalsSince(database: DatabaseSync, since: Instant, cut?: Cut): RequestTotals {
  const totals = Object.fromEntries(REQUEST_SUMS.map((name) => [name, 0])) as Record<keyof RequestSums, number>;
  const byErrorCode: Record<string, number> = {};
  for (const range of splitAtCut(since, MAX_INSTANT, cut, requestLog.periods.requestsByErrorCode)) {
    for (const { errorCode, ...sums } of sumsIn(database, range, lastPositionOf(cut))) {
      for (const name of REQUEST_SUMS) totals[name] += sums[name] ?? 0;
      const { requests = 0, unlogged = 0 } = sums;
      if (errorCode) byErrorCode[errorCode] = (byErrorCode[errorCode] ?? 0) + requests + unlogged;
    }
  }
  return { ...totals, byErrorCode };
}

/** Sums per step, from the longest periods that divide a step. */
export function requestSteps(database: DatabaseSync, since: Instant, stepMs: number, cut?: Cut): RequestStep[] {
  const longest = longestPeriodDividing(stepMs);
  const wholeTo = instant(Math.max(since, startOf(longest, cut?.from ?? MAX_INSTANT)));
  const whole = stepsIn(database, { period: longest, from: since, to: wholeTo }, stepMs, MAX_POSITION);
  if (!cut) return whole;
  const steps = new Map(whole.map((step) => [step.start, step]));
  for (const range of splitAtCut(wholeTo, MAX_INSTANT, cut, SHORTER_PERIODS[longest])) {
    for (const step of stepsIn(database, range, stepMs, cut.asOf)) {
      const known = steps.get(step.start);
      const sums = known && Object.fromEntries(REQUEST_SUMS.map((name) => [name, known[name] + step[name]]));
      steps.set(step.start, { ...step, ...sums });
    }
  }
  return [...steps.values()].sort((a, b) => a.start - b.start);
}

const MAX_POSITION = Number.MAX_SAFE_INTEGER;
/** The sums that a row has a column for; the others count rows. */
const MEASURED = REQUEST_SUMS.filter((name) => name !== 'requests' && name !== 'errors' && name !== 'unlogged');

/** @param upTo the last position of rows; roll-ups contain no later ones */
function stepsIn(
  database: DatabaseSync,
  { period, from, to }: PeriodRange,
  stepMs: number,
  upTo: number,
): RequestStep[] {
  if (period) {
    return database
      .prepare(
        `SELECT start - start % ? AS start, ${SUMS} FROM requestsByErrorCode WHERE period = ? AND start >= ? AND start < ?
         GROUP BY 1 ORDER BY 1`,
      )
      .all(stepMs, periodNumber(period), from, to) as unknown as RequestStep[];
  }
  return database
    .prepare(
      `SELECT start, ${REQUEST_SUMS.map((name) => `TOTAL(${name}) AS ${name}`).join(', ')} FROM (
         SELECT requestedAt - requestedAt % ?1 AS start, 1 AS requests, failed AS errors, 0 AS unlogged, ${MEASURED.join(', ')}
         FROM requests INDEXED BY requestsByTime WHERE requestedAt >= ?2 AND requestedAt < ?3 AND position <= ?4
         UNION ALL
         SELECT minute - minute % ?1, 0, 0, unlogged, ${MEASURED.map(() => '0').join(', ')}
         FROM refusals WHERE minute >= ?2 AND minute < ?3 AND position <= ?4)
       GROUP BY start`,
    )
    .all(stepMs, from, to, upTo) as unknown as RequestStep[];
}

function sumsIn(database: DatabaseSync, { period, from, to }: PeriodRange, upTo: number): CodeSums[] {
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
       FROM requests INDEXED BY requestsByTime JOIN requestSources ON requestSources.id = sourceId
       WHERE requestedAt >= ? AND requestedAt < ? AND position <= ? GROUP BY errorCode`,
    )
    .all(from, to, upTo);
  const unlogged = database
    .prepare(
      `SELECT errorCode, SUM(unlogged) AS unlogged FROM refusals JOIN requestSources ON requestSources.id = sourceId
       WHERE minute >= ? AND minute < ? AND position <= ? GROUP BY errorCode`,
    )
    .all(from, to, upTo);
  return [...logged, ...unlogged] as unknown as CodeSums[];
}
