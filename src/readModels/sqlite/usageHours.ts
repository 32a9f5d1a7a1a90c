import type { DatabaseSync } from 'node:sqlite';
import { USAGE_SUMS } from '../../../projections/usageTrends.ts';
import type { Instant } from '../../domain/core/brands.ts';
import type { AccountUsageSums, UsageHour } from '../usageTrendsQueries.ts';
import { periodNumber } from './rollUpTable.ts';

const COLUMNS = `start, ${USAGE_SUMS.join(', ')}`;
const SUMS = USAGE_SUMS.map((name) => `SUM(${name}) AS ${name}`).join(', ');
const HOUR = periodNumber('hour');

/** The sums of each account over the hours that begin at `since` or later. */
export function usageSince(database: DatabaseSync, since: Instant): AccountUsageSums[] {
  return database
    .prepare(`SELECT accountId, ${SUMS} FROM usageByAccount WHERE period = ? AND start >= ? GROUP BY accountId`)
    .all(HOUR, since) as unknown as AccountUsageSums[];
}

/** See `UsageTrendsQueries.ofAccount`. */
export function usageHoursOf(database: DatabaseSync, accountId: string, since: Instant): UsageHour[] {
  const hours = database
    .prepare(`SELECT ${COLUMNS} FROM usageByAccount WHERE period = ? AND start >= ? AND accountId = ? ORDER BY start`)
    .all(HOUR, since, accountId) as unknown as UsageHour[];
  const lastBefore = (samples: 'primarySamples' | 'secondarySamples') =>
    database
      .prepare(
        `SELECT ${COLUMNS} FROM usageByAccount WHERE period = ? AND start < ? AND accountId = ? AND ${samples} > 0
         ORDER BY start DESC LIMIT 1`,
      )
      .get(HOUR, since, accountId) as unknown as UsageHour | undefined;
  const before = [lastBefore('primarySamples'), lastBefore('secondarySamples')]
    .filter((hour) => hour !== undefined)
    .sort((a, b) => a.start - b.start)
    .filter(({ start }, index, all) => start !== all[index - 1]?.start);
  return [...before, ...hours];
}
