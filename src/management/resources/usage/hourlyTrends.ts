import { z } from 'zod';
import { startOf } from '../../../../projections/periods.ts';
import { type Instant, instant, iso } from '../../../domain/core/brands.ts';
import type { UsageHour } from '../../../readModels/usageTrendsQueries.ts';
import { roundPercent } from './usageWindow.ts';

const HOUR_MS = 3_600_000;
/** Seven days, the current hour included. */
const HOURS = 168;

/** Remaining percent by hour. */
export const TrendPoints = z.array(z.object({ t: z.iso.datetime(), v: z.number().min(0).max(100) }));

/** Start of a trend of seven days. */
export const trendStart = (now: Instant): Instant => instant(startOf('hour', now) - (HOURS - 1) * HOUR_MS);

/** Remaining percent of both windows, one value per hour; empty for a window that was never observed. */
export interface HourlyRemaining {
  readonly primary: number[];
  readonly secondary: number[];
}

/** Computes the trend of one account. @param hours its samples; the last hour before `since` gives the first value */
export const hourlyRemaining = (hours: readonly UsageHour[], since: Instant): HourlyRemaining => ({
  primary: series(hours, since, (hour) => mean(hour.primaryRemaining, hour.primarySamples)),
  secondary: series(hours, since, (hour) => mean(hour.secondaryRemaining, hour.secondarySamples)),
});

/** Converts hourly values to points with their times. @param since start of the first hour */
export function trendPoints({ primary, secondary }: HourlyRemaining, since: Instant) {
  const times = Array.from({ length: HOURS }, (_, hour) => iso(instant(since + hour * HOUR_MS)));
  const points = (values: readonly number[]) => values.map((v, hour) => ({ t: times[hour] as string, v }));
  return { primary: points(primary), secondary: points(secondary) };
}

/** The mean of each hour's samples; hours without samples repeat the last value. Before the first sample it is 100. */
function series(
  hours: readonly UsageHour[],
  since: Instant,
  meanOf: (hour: UsageHour) => number | undefined,
): number[] {
  const means = new Map<Instant, number>();
  for (const hour of hours) {
    const value = meanOf(hour);
    if (value !== undefined) means.set(hour.start, value);
  }
  if (means.size === 0) return [];
  let last = [...means].findLast(([start]) => start < since)?.[1] ?? 100;
  return Array.from({ length: HOURS }, (_, hour) => {
    last = means.get(instant(since + hour * HOUR_MS)) ?? last;
    return last;
  });
}

const mean = (sum: number, count: number) => (count === 0 ? undefined : roundPercent(sum / count));
