import { z } from 'zod';
import { startOf } from '../../../projections/periods.ts';
import { type AccountId, type Instant, instant, iso } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { UsageHour } from '../../readModels/usageTrendsQueries.ts';
import type { Management } from '../app.ts';
import { newRouter } from '../http/context.ts';
import { documented } from '../http/describeRoute.ts';

const HOUR_MS = 3_600_000;
/** Seven days, the hour that has begun included. */
const HOURS = 168;

/** Percents, hour by hour. */
export const points = z.array(z.object({ t: z.iso.datetime(), v: z.number().min(0).max(100) }));
const trends = documented({
  summary: 'What was left of an account, in percent, hour by hour of the last seven days',
  answer: z.object({ account_id: z.string(), primary: points, secondary: points }),
  refuses: ['account_not_found', 'read_models_unavailable'],
});

export const accountTrendsRoutes = ({ hot, usageTrends, now }: Management) =>
  newRouter('/api/accounts')
    .get('/:id/trends', trends, async (ctx) => {
      const accountId = (ctx.params.id ?? '') as AccountId;
      if (!hot.state.accounts.has(accountId)) refuse('account_not_found', { accountId });
      const since = sevenDaysBefore(now());
      return {
        account_id: accountId,
        ...pointsOf(leftByHour(await usageTrends.ofAccount(accountId, since, hot.state.position), since), since),
      };
    })
    .routes();

/** Where the trends of seven days begin. */
export const sevenDaysBefore = (now: Instant): Instant => instant(startOf('hour', now) - (HOURS - 1) * HOUR_MS);

/** Of both windows, an entry for each hour; none for a window that was never observed. */
export interface LeftByHour {
  readonly primary: readonly number[];
  readonly secondary: readonly number[];
}

/** What was left of both windows of one account, in percent, hour by hour from `since`. */
export const leftByHour = (hours: readonly UsageHour[], since: Instant): LeftByHour => ({
  primary: trend(hours, since, (hour) => mean(hour.primaryRemaining, hour.primarySamples)),
  secondary: trend(hours, since, (hour) => mean(hour.secondaryRemaining, hour.secondarySamples)),
});

/** As the wire has them. */
export function pointsOf({ primary, secondary }: LeftByHour, since: Instant) {
  const times = Array.from({ length: HOURS }, (_, hour) => iso(instant(since + hour * HOUR_MS)));
  const points = (values: readonly number[]) => values.map((v, hour) => ({ t: times[hour] as string, v }));
  return { primary: points(primary), secondary: points(secondary) };
}

/**
 * One value for each hour: the mean of its samples, else what was known last; before the first sample nothing is known
 * to be used.
 */
function trend(
  hours: readonly UsageHour[],
  since: Instant,
  meanOf: (hour: UsageHour) => number | undefined,
): readonly number[] {
  const known = new Map<Instant, number>();
  for (const hour of hours) {
    const value = meanOf(hour);
    if (value !== undefined) known.set(hour.start, value);
  }
  if (known.size === 0) return [];
  let last = [...known].findLast(([start]) => start < since)?.[1] ?? 100;
  return Array.from({ length: HOURS }, (_, hour) => {
    last = known.get(instant(since + hour * HOUR_MS)) ?? last;
    return last;
  });
}

const mean = (sum: number, count: number) => (count === 0 ? undefined : rounded(sum / count));

/** Two decimals. */
export const rounded = (value: number): number => Math.round(value * 100) / 100;
