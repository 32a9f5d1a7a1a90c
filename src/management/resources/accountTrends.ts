import { z } from 'zod';
import { type AccountId, iso } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { READERS } from '../http/roles.ts';
import { hourlyRemaining, TrendPoints, trendPoints, trendStart } from './usage/hourlyTrends.ts';

const hours = z.array(z.number().min(0).max(100));

const AccountTrend = z
  .object({
    account_id: z.string(),
    primary: hours.describe('One value for each hour; empty for a window that was never observed'),
    secondary: hours,
  })
  .meta({ id: 'AccountTrend' });

const routes = {
  list: describeRoute({
    roles: READERS,
    at: 'past',
    summary: 'Get the remaining usage of every account by hour, in percent, over the last seven days',
    response: z.object({
      since: z.iso.datetime().describe('Start of the first hour'),
      trends: z.array(AccountTrend),
    }),
    errors: ['read_models_unavailable'],
  }),
  get: describeRoute({
    roles: READERS,
    at: 'past',
    summary: 'Get the remaining usage of an account by hour, in percent, over the last seven days',
    response: z.object({ account_id: z.string(), primary: TrendPoints, secondary: TrendPoints }),
    errors: ['account_not_found', 'read_models_unavailable'],
  }),
};

/** The remaining usage of accounts over time. */
export const accountTrendsRoutes = ({ views, queries }: Pick<Capabilities, 'views' | 'queries'>) =>
  newRouter('/api/accounts')
    .get('/trends', routes.list, async (ctx) => {
      const { state, now, upTo } = await views.asOf(ctx);
      const since = trendStart(now);
      const trends = await Promise.all(
        [...state.accounts.keys()].map(async (id) => ({
          account_id: id,
          ...hourlyRemaining(await queries.usageTrends.ofAccount(id, since, upTo), since),
        })),
      );
      return { since: iso(since), trends };
    })
    .get('/:id/trends', routes.get, async (ctx) => {
      const accountId = (ctx.params.id ?? '') as AccountId;
      const { state, now, upTo } = await views.asOf(ctx);
      if (!state.accounts.has(accountId)) refuse('account_not_found', { accountId });
      const since = trendStart(now);
      const hours = await queries.usageTrends.ofAccount(accountId, since, upTo);
      return { account_id: accountId, ...trendPoints(hourlyRemaining(hours, since), since) };
    })
    .routes();
