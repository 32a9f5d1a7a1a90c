import { z } from 'zod';
import { creditsOf } from '../domain/account/planCredits.ts';
import { points, rounded, sevenDaysBefore, type TrendPoint, trendsOf } from './accountTrends.ts';
import { newRouter } from './context.ts';
import { documented } from './documented.ts';
import type { Management } from './management.ts';

const trends = documented({
  summary: 'What was left over all active accounts, in percent of their credits, hour by hour of the last seven days',
  answer: z.object({ primary: points, secondary: points }),
  refuses: ['read_models_unavailable'],
});

export const usageTrendsRoutes = ({ hot, usageTrends, now }: Management) =>
  newRouter('/api/usage')
    .get('/trends', trends, async () => {
      const { accounts, position } = hot.state;
      const since = sevenDaysBefore(now());
      const active = [...accounts.values()].filter(({ status }) => status === 'active');
      const observed = await Promise.all(
        active.map(async ({ id, planType }) => ({
          credits: creditsOf(planType),
          ...trendsOf(await usageTrends.ofAccount(id, since, position), since),
        })),
      );
      return {
        primary: together(observed.map(({ credits, primary }) => ({ weight: credits.primary, trend: primary }))),
        secondary: together(
          observed.map(({ credits, secondary }) => ({ weight: credits.secondary, trend: secondary })),
        ),
      };
    })
    .routes();

/**
 * The mean of several trends, each counting by its weight. Of a window that was never observed all is taken to be left,
 * as everywhere; when none was, there is no trend.
 */
function together(all: readonly { readonly weight: number; readonly trend: readonly TrendPoint[] }[]) {
  const known = all.find(({ weight, trend }) => weight > 0 && trend.length > 0);
  const capacity = all.reduce((sum, { weight }) => sum + weight, 0);
  return (known?.trend ?? []).map(({ t }, hour) => {
    const left = all.reduce((sum, { weight, trend }) => sum + weight * (trend[hour]?.v ?? 100), 0);
    return { t, v: rounded(left / capacity) };
  });
}
