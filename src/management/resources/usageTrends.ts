import { z } from 'zod';
import { creditsOf } from '../../domain/account/planCredits.ts';
import type { Management } from '../app.ts';
import { newRouter } from '../http/context.ts';
import { documented } from '../http/describeRoute.ts';
import { leftByHour, points, pointsOf, rounded, sevenDaysBefore } from './accountTrends.ts';

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
          ...leftByHour(await usageTrends.ofAccount(id, since, position), since),
        })),
      );
      const left = {
        primary: together(observed.map(({ credits, primary }) => ({ weight: credits.primary, left: primary }))),
        secondary: together(observed.map(({ credits, secondary }) => ({ weight: credits.secondary, left: secondary }))),
      };
      return pointsOf(left, since);
    })
    .routes();

/**
 * The mean of several trends, each counting by its weight. Of a window that was never observed all is taken to be left,
 * as everywhere; when none was, there is no trend.
 */
function together(all: readonly { readonly weight: number; readonly left: readonly number[] }[]): number[] {
  const known = all.find(({ weight, left }) => weight > 0 && left.length > 0);
  const capacity = all.reduce((sum, { weight }) => sum + weight, 0);
  return (known?.left ?? []).map((_, hour) =>
    rounded(all.reduce((sum, { weight, left }) => sum + weight * (left[hour] ?? 100), 0) / capacity),
  );
}
