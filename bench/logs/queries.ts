import { type Grouping, groupings } from '../../projections/figures.ts';
import { type Instant, instant, position } from '../../src/domain/core/brands.ts';
import { type Interval, timeSteps, wallClockOf } from '../../src/management/resources/breakdown/timeSteps.ts';
import type { ReadModelPorts } from '../../src/readModels/readModels.ts';
import type { RequestLogFilter } from '../../src/readModels/requestLogQueries.ts';
import { accounts, keys, models, requestIdAt } from './events.ts';

export interface QueriesOptions {
  /** Number of events that `fillLog` wrote. */
  readonly rows: number;
  /** How often each query is made. */
  readonly rounds: number;
  /** Only queries whose label has this. */
  readonly only: string;
  readonly print: (line: string) => void;
}

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

/** Makes the dashboard's queries on read models of `fillLog`, with different values in each round, and prints the times. */
export async function measureQueries(
  readModels: ReadModelPorts,
  { rows, rounds, only, print }: QueriesOptions,
): Promise<void> {
  const { requestLog, requestTotals } = readModels;
  const head = position(rows);
  const now = Date.now();
  const daysAgo = (days: number): Instant => instant(now - days * 86_400_000);
  const { total } = await requestLog.page({}, 1, 0, head);
  print(`${total} requests`);
  const pick = <Value>(from: readonly Value[], round: number) => from[round % from.length] as Value;
  const threeFilters = (round: number): RequestLogFilter => ({
    accountIds: [pick(accounts, round)],
    models: [pick(models, round)],
    statuses: ['200'],
  });
  const failed = (round: number): RequestLogFilter => ({ ...threeFilters(round), statuses: ['error', '502'] });
  const week = (round: number) => ({ since: daysAgo(7 + round / 100), until: daysAgo(round / 100) });
  const page = (filter: RequestLogFilter, offset = 0) => requestLog.page(filter, 50, offset, head);
  const deep = (of: number, round: number) => Math.floor((of * ((round * 37) % rounds)) / rounds);
  // Positions of usage samples have no request id.
  const idOf = (round: number) => requestIdAt(((round * 7_919 * 13) % rows) + 1);

  const measure = async (label: string, query: (round: number) => Promise<unknown>): Promise<void> => {
    if (!label.includes(only)) return;
    await query(rounds);
    const [times, cpuTimes]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      const [start, cpu] = [performance.now(), process.cpuUsage()];
      await query(round);
      times.push(performance.now() - start);
      const { user, system } = process.cpuUsage(cpu);
      cpuTimes.push((user + system) / 1_000);
    }
    const mean = cpuTimes.reduce((sum, time) => sum + time, 0) / rounds;
    const shown = (ms: number) => ms.toFixed(1).padStart(7);
    const [p50, p95, cpu95] = [percentile(times, 0.5), percentile(times, 0.95), percentile(cpuTimes, 0.95)];
    print(
      `${label.padEnd(38)} p50 ${shown(p50)} ms   p95 ${shown(p95)} ms   CPU: mean ${shown(mean)} ms   p95 ${shown(cpu95)} ms`,
    );
  };

  await measure('first page', () => page({}));
  await measure('page with three filters', (round) => page(threeFilters(round)));
  await measure('page with three filters, failed', (round) => page(failed(round)));
  await measure('page with three filters, 7 days', (round) => page({ ...threeFilters(round), ...week(round) }));
  await measure('page of 1,000', (round) => requestLog.page(threeFilters(round), 1_000, 0, head));
  await measure('deep page', (round) => page({}, deep(total, round)));
  await measure('deep page with a filter', (round) => page({ statuses: ['200'] }, deep(total * 0.96, round)));
  await measure('search by request id', (round) => page({ search: idOf(round) }));
  await measure('search by start of an id', (round) => page({ search: idOf(round).slice(0, 10) }));
  await measure('search by "re", as typed', () => page({ search: 're' }));
  await measure('search by a part of an id', (round) => page({ search: idOf(round).slice(12, 20) }));
  await measure('search by an error text', (round) => page({ search: `after ${round * 17} ms` }));
  const tried = (round: number, count: number) => ({
    attemptedAccountIds: Array.from({ length: count }, (_, index) => pick(accounts, round + index)),
  });
  await measure('page of an attempted account', (round) => page(tried(round, 1)));
  await measure('page of the failing account', () => page(tried(0, 1)));
  await measure('page of five attempted accounts', (round) => page(tried(round, 5)));
  await measure('deep page of attempted accounts', (round) => page(tried(0, 5), deep(total * 0.2, round)));
  await measure('attempted account, three filters', (round) =>
    page({ ...threeFilters(round), ...tried(round + 3, 1) }),
  );
  await measure('search within an attempted account', (round) => page({ search: 'after 17', ...tried(round, 1) }));
  await measure('options of an attempted account', (round) => requestLog.options(tried(round, 1), head));
  await measure('options, five attempted accounts', (round) => requestLog.options(tried(round % 2, 5), head));
  await measure('options', () => requestLog.options({}, head));
  await measure('options with filters, 7 days', (round) =>
    requestLog.options({ ...threeFilters(round), ...week(round) }, head),
  );
  await measure('overview', () =>
    Promise.all([requestTotals.since(daysAgo(7), head), requestTotals.since(daysAgo(1), head)]),
  );
  await measure('summary', () => requestTotals.since(daysAgo(7), head));
  await measure('usage history', () => readModels.usageTrends.since(daysAgo(7), head));
  await measure('trends', (round) => readModels.usageTrends.ofAccount(pick(accounts, round), daysAgo(7), head));

  const breakdown = (
    by: Grouping,
    interval: Interval,
    days: number,
    timeZone: string,
    filter: RequestLogFilter = {},
  ) => {
    const clock = wallClockOf(timeZone);
    const edges = clock && timeSteps({ from: daysAgo(days), to: instant(Date.now() + 1), interval, clock }, 9_000);
    if (!edges) throw new Error('no steps');
    const maxGroupsOfSteps = Math.floor(100_000 / edges.length);
    return readModels.figures.breakdown({ by, filter, edges, maxGroups: 1_000, maxGroupsOfSteps }, head);
  };
  await measure('breakdown by key, 7 days', () => breakdown('key', 'day', 7, 'UTC'));
  await measure('breakdown by account, 7 days', () => breakdown('account', 'day', 7, 'Europe/Berlin'));
  await measure('breakdown by account, 7 days, hours', () => breakdown('account', 'hour', 7, 'Asia/Kolkata'));
  await measure('breakdown by model, a year', () => breakdown('model', 'day', 365, 'Asia/Kolkata'));
  await measure('breakdown by account, a year, hours', () => breakdown('account', 'hour', 365, 'UTC'));
  await measure('breakdown of a key, by key', (round) =>
    breakdown('key', 'day', 7, 'UTC', { apiKeyIds: [pick(keys, round)] }),
  );
  await measure('breakdown of a key, by model', (round) =>
    breakdown('model', 'day', 7, 'UTC', { apiKeyIds: [pick(keys, round)] }),
  );
  // Filters of one request in a hundred to nearly all of them.
  const filters = (round: number): readonly RequestLogFilter[] => [
    { apiKeyIds: [pick(keys, round)] },
    { statuses: ['200'] },
    { models: [pick(models, round)], efforts: ['high', null] },
    { accountIds: [pick(accounts, round)], statuses: ['200'] },
    { attemptedAccountIds: [pick(accounts, round * 7)] },
    { apiKeyIds: [pick(keys, round), pick(keys, round + 3)], models: [pick(models, round + 1)] },
    { errorCodes: ['upstream_error', 'rate_limit_exceeded'] },
    { clients: [null], transports: ['http'] },
    { owners: [null], efforts: ['low', 'medium'] },
  ];
  const zones = [
    'UTC',
    'Asia/Kolkata',
    'America/New_York',
    'Europe/Berlin',
    'Australia/Adelaide',
    'Asia/Tokyo',
    'Asia/Kathmandu',
  ];
  const anyBreakdown = (round: number, interval: Interval, days: number) =>
    breakdown(pick(groupings, round), interval, days, pick(zones, round), pick(filters(round), round));
  await measure('breakdown, any filter, 7 days', (round) => anyBreakdown(round, pick(['day', 'hour'], round), 7));
  await measure('breakdown, any filter, 30 days', (round) => anyBreakdown(round, 'day', 30));
  await measure('breakdown, any filter, a year', (round) => anyBreakdown(round, pick(['day', 'month'], round), 365));
  await measure('breakdown, any filter, a year, hours', (round) => anyBreakdown(round, 'hour', 365));
  await measure('breakdown, any grouping, a year', (round) =>
    breakdown(pick(groupings, round), 'day', 365, pick(zones, round)),
  );
  await measure('breakdown, any grouping, a year, hours', (round) =>
    breakdown(pick(groupings, round), 'hour', 365, pick(zones, round)),
  );
}
