import { REQUEST_SUMS, type RequestSums, requestLog } from '../../../projections/requestLog.ts';
import { type Instant, instant } from '../../domain/core/brands.ts';
import type { RequestStep, RequestTotals } from '../requestTotalsQueries.ts';
import { cut, FAR_AHEAD, periodWithin, type TimePiece } from '../timePieces.ts';
import type { Reach } from './reach.ts';
import { READING } from './requestPages.ts';

type Sums = Record<keyof RequestSums, number>;

const NOTHING: Sums = Object.fromEntries(REQUEST_SUMS.map((name) => [name, 0])) as Sums;
const ALL = { _id: 0, errorCode: 1, ...Object.fromEntries(REQUEST_SUMS.map((name) => [name, 1])) };
/** What a row tells; the rest of its sums is counting it. */
const MEASURED = REQUEST_SUMS.filter((name) => name !== 'requests' && name !== 'errors' && name !== 'unlogged');
const MEASURED_OF_ROW = { _id: 0, errorCode: 1, status: 1, ...Object.fromEntries(MEASURED.map((name) => [name, 1])) };

/**
 * Sums over everything that arrived at `since` or later: whole periods from roll-ups, the open minute from its rows. They are
 * added up here: FerretDB can group by one sum only, and a few thousand documents are as soon sent as grouped.
 */
export async function requestTotalsSince(reach: Reach, since: Instant): Promise<RequestTotals> {
  const totals = { ...NOTHING };
  const byErrorCode: Record<string, number> = {};
  const add = (errorCode: string | null, sums: Partial<Sums>) => {
    for (const name of REQUEST_SUMS) totals[name] += sums[name] ?? 0;
    if (errorCode === null) return;
    byErrorCode[errorCode] = (byErrorCode[errorCode] ?? 0) + (sums.requests ?? 0) + (sums.unlogged ?? 0);
  };
  await Promise.all(
    cut(since, FAR_AHEAD, requestLog.periods.requestsByErrorCode).map((piece) => addPiece(reach, piece, add)),
  );
  return { ...totals, byErrorCode };
}

/** What arrived in each step, from the longest periods that steps are made of. */
export async function requestSteps(
  { collections }: Reach,
  since: Instant,
  stepMs: number,
): Promise<readonly RequestStep[]> {
  const steps = new Map<Instant, Sums>();
  const within = { period: periodWithin(stepMs), start: { $gte: since } };
  const projection = { ...ALL, start: 1 };
  for await (const { start, ...sums } of collections.requestsByErrorCode.find(within, { ...READING, projection })) {
    const at = instant(start - (start % stepMs));
    const into = steps.get(at) ?? { ...NOTHING };
    for (const name of REQUEST_SUMS) into[name] += sums[name];
    steps.set(at, into);
  }
  return [...steps].sort(([a], [b]) => a - b).map(([start, sums]) => ({ start, ...sums }));
}

async function addPiece(
  { collections }: Reach,
  { period, from, to }: TimePiece,
  add: (errorCode: string | null, sums: Partial<Sums>) => void,
): Promise<void> {
  if (period) {
    const within = { period, start: { $gte: from, $lt: to } };
    for await (const { errorCode, ...sums } of collections.requestsByErrorCode.find(within, {
      ...READING,
      projection: ALL,
    })) {
      add(errorCode, sums);
    }
    return;
  }
  const rows = collections.requests.find(
    { requestedAt: { $gte: from, $lt: to } as never },
    { ...READING, hint: 'byTime', projection: MEASURED_OF_ROW },
  );
  const refusals = collections.refusals.find(
    { minute: { $gte: from, $lt: to } as never },
    { ...READING, projection: { _id: 0, errorCode: 1, unlogged: 1 } },
  );
  for await (const { errorCode, unlogged } of refusals) add(errorCode, { unlogged });
  for await (const { errorCode, status, ...row } of rows) {
    const measured = MEASURED.map((name) => [name, row[name] ?? 0]);
    add(errorCode, { ...Object.fromEntries(measured), requests: 1, errors: status === '200' ? 0 : 1 });
  }
}
