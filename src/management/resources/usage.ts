import { z } from 'zod';
import { creditsOf } from '../../domain/account/planCredits.ts';
import { instant } from '../../domain/core/brands.ts';
import type { RequestLogOptions } from '../../readModels/requestLogQueries.ts';
import type { AccountUsageSums } from '../../readModels/usageTrendsQueries.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { queryChoice, queryInteger } from '../http/query.ts';
import { READERS } from '../http/roles.ts';
import { byFrequency, errorRate } from './usage/errorStatistics.ts';
import { aggregatedWindow, roundPercent, windowMinutes, windowOf } from './usage/usageWindow.ts';

const HOUR_MS = 3_600_000;
const WEEK_MS = 168 * HOUR_MS;

const percent = z.number().min(0).max(100);
const UsageWindow = z
  .object({
    remaining_percent: percent,
    capacity_credits: z.number(),
    remaining_credits: z.number(),
    reset_at: z.iso.datetime().nullable(),
    window_minutes: z.int(),
  })
  .meta({ id: 'UsageWindow' });
const AccountUsage = z
  .object({
    account_id: z.string(),
    remaining_percent_avg: percent,
    capacity_credits: z.number(),
    remaining_credits: z.number(),
  })
  .meta({ id: 'AccountUsage' });

const AccountUsageHistory = AccountUsage.extend({
  requests: z.int().describe('Requests that the account served, or failed last'),
  attempted_requests: z.int().describe('Requests that tried the account'),
}).meta({ id: 'AccountUsageHistory' });

const routes = {
  summary: describeRoute({
    roles: READERS,
    at: 'past',
    summary: 'Get the remaining usage of all active accounts, and requests and cost of the last seven days',
    response: z.object({
      primary_window: UsageWindow,
      secondary_window: UsageWindow,
      cost: z.object({ currency: z.literal('USD'), totalUsd7d: z.number() }),
      metrics: z.object({
        requests7d: z.int(),
        tokens_secondary_window: z.int(),
        cached_tokens_secondary_window: z.int(),
        errorRate7d: percent,
        top_error: z.string().nullable(),
      }),
    }),
    errors: ['read_models_unavailable'],
  }),
  history: describeRoute({
    roles: READERS,
    at: 'past',
    summary: 'Get the mean remaining usage and the number of requests of each account over the last hours',
    query: { hours: z.int().min(1).max(168).default(24) },
    response: z.object({ window_hours: z.int(), accounts: z.array(AccountUsageHistory) }),
    errors: ['read_models_unavailable'],
  }),
  window: describeRoute({
    roles: READERS,
    at: 'past',
    summary: 'Get the remaining usage of each account by its last sample',
    query: { window: z.enum(['primary', 'secondary']).default('primary') },
    response: z.object({ window_key: z.string(), window_minutes: z.int(), accounts: z.array(AccountUsage) }),
  }),
};

/** The usage of accounts as the provider reported it, and the cost of requests. */
export const usageRoutes = ({ views, queries }: Pick<Capabilities, 'views' | 'queries'>) =>
  newRouter('/api/usage')
    .get('/summary', routes.summary, async (ctx) => {
      const { state, now, upTo } = await views.sumsAsOf(ctx);
      // Before the query, during which the state changes.
      const windows = {
        primary_window: aggregatedWindow(state, 'primary'),
        secondary_window: aggregatedWindow(state, 'secondary'),
      };
      const totals = await queries.requestTotals.since(instant(now - WEEK_MS), upTo);
      return {
        ...windows,
        cost: { currency: 'USD', totalUsd7d: totals.costMicroDollars / 1_000_000 },
        metrics: {
          requests7d: totals.requests + totals.unlogged,
          tokens_secondary_window: totals.inputTokens + totals.outputTokens,
          cached_tokens_secondary_window: totals.cachedInputTokens,
          errorRate7d: errorRate(totals),
          top_error: byFrequency(totals.byErrorCode)[0]?.[0] ?? null,
        },
      };
    })
    .get('/history', routes.history, async (ctx) => {
      const hours = queryInteger(ctx, 'hours', { min: 1, max: 168, fallback: 24 });
      // Samples are summed by hour: an hour that overlaps the period is included completely.
      const { state, now, upTo } = await views.sumsAsOf(ctx);
      const since = instant(now - (hours + 1) * HOUR_MS + 1);
      const accounts = [...state.accounts.values()];
      const [sums, counts] = await Promise.all([
        queries.usageTrends.since(since, upTo),
        queries.requestLog.options({ since: instant(now - hours * HOUR_MS) }, upTo),
      ]);
      const means = primaryMeans(sums);
      const requests = requestsByAccount(counts.accountIds);
      const attempted = requestsByAccount(counts.attemptedAccountIds);
      return {
        window_hours: hours,
        accounts: accounts.map(({ id, planType }) => {
          const remaining = means.get(id) ?? 100;
          const capacity = creditsOf(planType).primary;
          return {
            account_id: id,
            remaining_percent_avg: roundPercent(remaining),
            capacity_credits: capacity,
            remaining_credits: (capacity * remaining) / 100,
            requests: requests.get(id) ?? 0,
            attempted_requests: attempted.get(id) ?? 0,
          };
        }),
      };
    })
    .get('/window', routes.window, async (ctx) => {
      const name = queryChoice(ctx, 'window', ['primary', 'secondary']);
      const { state } = await views.asOf(ctx);
      const accounts = [...state.accounts.values()];
      return {
        window_key: name,
        window_minutes: windowMinutes(state, accounts, name),
        accounts: accounts.map((account) => {
          const { remainingPercent, capacityCredits, remainingCredits } = windowOf(state, account, name);
          return {
            account_id: account.id,
            remaining_percent_avg: remainingPercent,
            capacity_credits: capacityCredits,
            remaining_credits: remainingCredits,
          };
        }),
      };
    })
    .routes();

const requestsByAccount = (counted: RequestLogOptions['accountIds']): ReadonlyMap<string, number> =>
  new Map(counted.map(({ accountId, count }) => [accountId, count]));

/** Mean remaining percent of the primary window by account, for accounts with samples. */
function primaryMeans(sums: readonly AccountUsageSums[]): Map<string, number> {
  const sampled = sums.filter(({ primarySamples }) => primarySamples > 0);
  return new Map(sampled.map((sum) => [sum.accountId, sum.primaryRemaining / sum.primarySamples]));
}
