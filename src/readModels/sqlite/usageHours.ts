import type { DatabaseSync } from 'node:sqlite';
import { USAGE_SUMS, type UsageSample, type UsageSums } from '../../../projections/usageTrends.ts';
import { type Instant, instant } from '../../domain/core/brands.ts';
import type { Cut } from '../cut.ts';
import { addUsage, firstHourFrom, hoursOfSamples, hoursSince, wholeHoursTo } from '../usageSums.ts';
import type { AccountUsageSums, UsageHour } from '../usageTrendsQueries.ts';
import { periodNumber } from './rollUpTable.ts';

const COLUMNS = `start, ${USAGE_SUMS.join(', ')}`;
const SUMS = USAGE_SUMS.map((name) => `SUM(${name}) AS ${name}`).join(', ');
const HOUR = periodNumber('hour');

/** The sums of each account over the hours that begin at `since` or later. */
export function usageSince(database: DatabaseSync, since: Instant, cut?: Cut): AccountUsageSums[] {
  const wholeTo = wholeHoursTo(cut);
  const whole = database
    .prepare(
      `SELECT accountId, ${SUMS} FROM usageByAccount WHERE period = ? AND start >= ? AND start < ? GROUP BY accountId`,
    )
    .all(HOUR, since, wholeTo) as unknown as AccountUsageSums[];
  if (!cut) return whole;
  const byAccount = new Map<string, UsageSums>(whole.map(({ accountId, ...sums }) => [accountId, sums]));
  const from = instant(Math.max(firstHourFrom(since), wholeTo));
  for (const { accountId, ...sums } of samplesIn(database, from, cut)) addUsage(byAccount, accountId, sums);
  return [...byAccount].sort(([a], [b]) => (a < b ? -1 : 1)).map(([accountId, sums]) => ({ accountId, ...sums }));
}

/** See `UsageTrendsQueries.ofAccount`. */
export function usageHoursOf(database: DatabaseSync, accountId: string, since: Instant, cut?: Cut): UsageHour[] {
  const wholeTo = wholeHoursTo(cut);
  const whole = database
    .prepare(
      `SELECT ${COLUMNS} FROM usageByAccount WHERE period = ? AND start >= ? AND start < ? AND accountId = ? ORDER BY start`,
    )
    .all(HOUR, since, wholeTo, accountId) as unknown as UsageHour[];
  const lastBefore = (samples: 'primarySamples' | 'secondarySamples') =>
    database
      .prepare(
        `SELECT ${COLUMNS} FROM usageByAccount WHERE period = ? AND start < ? AND accountId = ? AND ${samples} > 0
         ORDER BY start DESC LIMIT 1`,
      )
      .get(HOUR, Math.min(since, wholeTo), accountId) as unknown as UsageHour | undefined;
  const sampled = cut ? samplesIn(database, wholeTo, cut).filter((sample) => sample.accountId === accountId) : [];
  const before = [lastBefore('primarySamples'), lastBefore('secondarySamples')];
  return hoursSince(since, before, whole, hoursOfSamples(sampled));
}

const samplesIn = (database: DatabaseSync, from: Instant, { to, asOf }: Cut): UsageSample[] =>
  database
    .prepare('SELECT * FROM usageSamples WHERE time >= ? AND time < ? AND position <= ?')
    .all(from, to, asOf) as unknown as UsageSample[];
