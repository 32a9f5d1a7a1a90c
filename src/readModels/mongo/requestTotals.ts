import { startOf } from '../../../projections/periods.ts';
import { REQUEST_SUMS, type RequestSums, requestLog } from '../../../projections/requestLog.ts';
import { type Instant, instant } from '../../domain/core/brands.ts';
import { type Cut, splitAtCut } from '../cut.ts';
import { longestPeriodDividing, MAX_INSTANT, type PeriodRange, SHORTER_PERIODS } from '../periodRanges.ts';
import type { RequestStep, RequestTotals } from '../requestTotalsQueries.ts';
import { READ_OPTIONS, type ReadView } from './readView.ts';
import { rowsWithin } from './requestSelection.ts';
import { separate, sumsWithin } from './wholePeriods.ts';

type Sums = Record<keyof RequestSums, number>;

const ZERO_SUMS: Sums = Object.fromEntries(REQUEST_SUMS.map((name) => [name, 0])) as Sums;
const ALL = { _id: 0, start: 1, errorCode: 1, ...Object.fromEntries(REQUEST_SUMS.map((name) => [name, 1])) };
/** The sums that a row has a field for; the others count rows. */
const MEASURED = REQUEST_SUMS.filter((name) => name !== 'requests' && name !== 'errors' && name !== 'unlogged');
const MEASURED_OF_ROW = {
  _id: 0,
  requestedAt: 1,
  errorCode: 1,
  status: 1,
  ...Object.fromEntries(MEASURED.map((name) => [name, 1])),
};

/**
 * Sums over the requests that arrived at `since` or later: whole periods from a roll-up, a part of a minute from its rows. Added
 * up here, because FerretDB cannot group with several sums, and sending a few thousand documents is as fast as grouping them.
 */
export async function requestTotalsSince(view: ReadView, since: Instant, cut?: Cut): Promise<RequestTotals> {
  const totals = { ...ZERO_SUMS };
  const byErrorCode: Record<string, number> = {};
  const add: AddSums = (errorCode, _start, sums) => {
    for (const name of REQUEST_SUMS) totals[name] += sums[name] ?? 0;
    if (errorCode === null) return;
    byErrorCode[errorCode] = (byErrorCode[errorCode] ?? 0) + (sums.requests ?? 0) + (sums.unlogged ?? 0);
  };
  await addRanges(view, splitAtCut(since, MAX_INSTANT, cut, requestLog.periods.requestsByErrorCode), cut, add);
  return { ...totals, byErrorCode };
}

/** Sums per step, from the longest periods that divide a step. */
export async function requestSteps(
  view: ReadView,
  since: Instant,
  stepMs: number,
  cut?: Cut,
): Promise<readonly RequestStep[]> {
  const steps = new Map<Instant, Sums>();
  const add: AddSums = (_errorCode, start, sums) => {
    const at = instant(start - (start % stepMs));
    const into = steps.get(at) ?? { ...ZERO_SUMS };
    for (const name of REQUEST_SUMS) into[name] += sums[name] ?? 0;
    steps.set(at, into);
  };
  const longest = longestPeriodDividing(stepMs);
  const wholeTo = instant(Math.max(since, startOf(longest, cut?.from ?? MAX_INSTANT)));
  const rest = cut ? splitAtCut(wholeTo, MAX_INSTANT, cut, SHORTER_PERIODS[longest]) : [];
  await addRanges(view, [{ period: longest, from: since, to: wholeTo }, ...rest], cut, add);
  return [...steps].sort(([a], [b]) => a - b).map(([start, sums]) => ({ start, ...sums }));
}

type AddSums = (errorCode: string | null, start: number, sums: Partial<Sums>) => void;

async function addRanges(
  view: ReadView,
  ranges: readonly PeriodRange[],
  cut: Cut | undefined,
  add: AddSums,
): Promise<void> {
  const { whole, partial } = separate(ranges);
  const addWhole = async () => {
    const options = { ...READ_OPTIONS, projection: ALL };
    for await (const { errorCode, start, ...sums } of view.collections.requestsByErrorCode.find(
      sumsWithin(whole),
      options,
    ))
      add(errorCode, start, sums);
  };
  await Promise.all([whole.length > 0 && addWhole(), ...partial.map((range) => addRows(view, range, cut, add))]);
}

async function addRows({ collections }: ReadView, { from, to }: PeriodRange, cut: Cut | undefined, add: AddSums) {
  const rows = collections.requests.find(rowsWithin({ from, to, upTo: cut?.asOf }, '_id'), {
    ...READ_OPTIONS,
    hint: 'byTime',
    projection: MEASURED_OF_ROW,
  });
  const refusals = collections.refusals.find(
    { minute: { $gte: from, $lt: to } as never, ...(cut && { position: { $lte: cut.asOf } as never }) },
    { ...READ_OPTIONS, projection: { _id: 0, errorCode: 1, minute: 1, unlogged: 1 } },
  );
  for await (const { errorCode, minute, unlogged } of refusals) add(errorCode, minute, { unlogged });
  for await (const { errorCode, status, requestedAt, ...row } of rows) {
    const measured = MEASURED.map((name) => [name, row[name] ?? 0]);
    add(errorCode, requestedAt, { ...Object.fromEntries(measured), requests: 1, errors: status === '200' ? 0 : 1 });
  }
}
