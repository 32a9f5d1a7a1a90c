import { REQUEST_SUMS, type RequestSums, requestLog } from '../../../projections/requestLog.ts';
import { type Instant, instant } from '../../domain/core/brands.ts';
import { longestPeriodDividing, MAX_INSTANT, type PeriodRange, splitByPeriod } from '../periodRanges.ts';
import type { RequestStep, RequestTotals } from '../requestTotalsQueries.ts';
import { READ_OPTIONS, type ReadView } from './readView.ts';

type Sums = Record<keyof RequestSums, number>;

const ZERO_SUMS: Sums = Object.fromEntries(REQUEST_SUMS.map((name) => [name, 0])) as Sums;
const ALL = { _id: 0, errorCode: 1, ...Object.fromEntries(REQUEST_SUMS.map((name) => [name, 1])) };
/** The sums that a row has a field for; the others count rows. */
const MEASURED = REQUEST_SUMS.filter((name) => name !== 'requests' && name !== 'errors' && name !== 'unlogged');
const MEASURED_OF_ROW = { _id: 0, errorCode: 1, status: 1, ...Object.fromEntries(MEASURED.map((name) => [name, 1])) };

/**
 * Sums over the requests that arrived at `since` or later: whole periods from a roll-up, a part of a minute from its rows. Added
 * up here, because FerretDB cannot group with several sums, and sending a few thousand documents is as fast as grouping them.
 */
export async function requestTotalsSince(view: ReadView, since: Instant): Promise<RequestTotals> {
  const totals = { ...ZERO_SUMS };
  const byErrorCode: Record<string, number> = {};
  const add = (errorCode: string | null, sums: Partial<Sums>) => {
    for (const name of REQUEST_SUMS) totals[name] += sums[name] ?? 0;
    if (errorCode === null) return;
    byErrorCode[errorCode] = (byErrorCode[errorCode] ?? 0) + (sums.requests ?? 0) + (sums.unlogged ?? 0);
  };
  await Promise.all(
    splitByPeriod(since, MAX_INSTANT, requestLog.periods.requestsByErrorCode).map((range) =>
      addRange(view, range, add),
    ),
  );
  return { ...totals, byErrorCode };
}

/** Sums per step, from the longest periods that divide a step. */
export async function requestSteps(
  { collections }: ReadView,
  since: Instant,
  stepMs: number,
): Promise<readonly RequestStep[]> {
  const steps = new Map<Instant, Sums>();
  const filter = { period: longestPeriodDividing(stepMs), start: { $gte: since } };
  const projection = { ...ALL, start: 1 };
  for await (const { start, ...sums } of collections.requestsByErrorCode.find(filter, {
    ...READ_OPTIONS,
    projection,
  })) {
    const at = instant(start - (start % stepMs));
    const into = steps.get(at) ?? { ...ZERO_SUMS };
    for (const name of REQUEST_SUMS) into[name] += sums[name];
    steps.set(at, into);
  }
  return [...steps].sort(([a], [b]) => a - b).map(([start, sums]) => ({ start, ...sums }));
}

async function addRange(
  { collections }: ReadView,
  { period, from, to }: PeriodRange,
  add: (errorCode: string | null, sums: Partial<Sums>) => void,
): Promise<void> {
  if (period) {
    const filter = { period, start: { $gte: from, $lt: to } };
    for await (const { errorCode, ...sums } of collections.requestsByErrorCode.find(filter, {
      ...READ_OPTIONS,
      projection: ALL,
    })) {
      add(errorCode, sums);
    }
    return;
  }
  const rows = collections.requests.find(
    { requestedAt: { $gte: from, $lt: to } as never },
    { ...READ_OPTIONS, hint: 'byTime', projection: MEASURED_OF_ROW },
  );
  const refusals = collections.refusals.find(
    { minute: { $gte: from, $lt: to } as never },
    { ...READ_OPTIONS, projection: { _id: 0, errorCode: 1, unlogged: 1 } },
  );
  for await (const { errorCode, unlogged } of refusals) add(errorCode, { unlogged });
  for await (const { errorCode, status, ...row } of rows) {
    const measured = MEASURED.map((name) => [name, row[name] ?? 0]);
    add(errorCode, { ...Object.fromEntries(measured), requests: 1, errors: status === '200' ? 0 : 1 });
  }
}
