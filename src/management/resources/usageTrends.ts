import { z } from 'zod';
import { creditsOf } from '../../domain/account/planCredits.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { READERS } from '../http/roles.ts';
import { hourlyRemaining, TrendPoints, trendPoints, trendStart } from './usage/hourlyTrends.ts';
import { roundPercent } from './usage/usageWindow.ts';

const routes = {
  get: describeRoute({
    roles: READERS,
    at: 'past',
    summary: 'Get the remaining credits of all active accounts by hour, in percent, over the last seven days',
    response: z.object({ primary: TrendPoints, secondary: TrendPoints }),
    errors: ['read_models_unavailable'],
  }),
};

/** The remaining credits of the pool over time. */
export const usageTrendsRoutes = ({ views, queries }: Pick<Capabilities, 'views' | 'queries'>) =>
  newRouter('/api/usage')
    .get('/trends', routes.get, async (ctx) => {
      const { state, now, upTo } = await views.asOf(ctx);
      const { accounts } = state;
      const since = trendStart(now);
      const active = [...accounts.values()].filter(({ status }) => status === 'active');
      const trends = await Promise.all(
        active.map(async ({ id, planType }) => ({
          credits: creditsOf(planType),
          ...hourlyRemaining(await queries.usageTrends.ofAccount(id, since, upTo), since),
        })),
      );
      const pool = {
        primary: weightedMean(trends.map(({ credits, primary }) => ({ weight: credits.primary, values: primary }))),
        secondary: weightedMean(
          trends.map(({ credits, secondary }) => ({ weight: credits.secondary, values: secondary })),
        ),
      };
      return trendPoints(pool, since);
    })
    .routes();

interface WeightedTrend {
  readonly weight: number;
  readonly values: readonly number[];
}

/** The weighted mean by hour. Uses 100 % for a window that was never observed; empty when none was observed. */
function weightedMean(trends: readonly WeightedTrend[]): number[] {
  const observed = trends.find(({ weight, values }) => weight > 0 && values.length > 0);
  const capacity = trends.reduce((sum, { weight }) => sum + weight, 0);
  return (observed?.values ?? []).map((_, hour) =>
    roundPercent(trends.reduce((sum, { weight, values }) => sum + weight * (values[hour] ?? 100), 0) / capacity),
  );
}
