import { z } from 'zod';
import { creditsOf } from '../../domain/account/planCredits.ts';
import { instant } from '../../domain/core/brands.ts';
import type { AccountUsageSums } from '../../readModels/usageTrendsQueries.ts';
import type { Management } from '../app.ts';
import { newRouter } from '../http/context.ts';
import { documented } from '../http/describeRoute.ts';
import { integer, oneOf } from '../http/query.ts';
import { rounded } from './accountTrends.ts';
import { aggregatedWindow, windowMinutes, windowOf } from './usage/usageWindow.ts';

const HOUR_MS = 3_600_000;
const WEEK_MS = 168 * HOUR_MS;

const percent = z.number().min(0).max(100);
const UsageWindowAnswer = z
  .object({
    remaining_percent: percent,
    capacity_credits: z.number(),
    remaining_credits: z.number(),
    reset_at: z.iso.datetime().nullable(),
    window_minutes: z.int(),
  })
  .meta({ id: 'UsageWindow' });
const AccountUsageAnswer = z
  .object({
    account_id: z.string(),
    remaining_percent_avg: percent,
    capacity_credits: z.number(),
    remaining_credits: z.number(),
  })
  .meta({ id: 'AccountUsage' });

const summary = documented({
  summary: 'What is left over all active accounts, and what the last seven days cost',
  answer: z.object({
    primary_window: UsageWindowAnswer,
    secondary_window: UsageWindowAnswer,
    cost: z.object({ currency: z.literal('USD'), totalUsd7d: z.number() }),
    metrics: z.object({
      requests7d: z.int(),
      tokens_secondary_window: z.int(),
      cached_tokens_secondary_window: z.int(),
      errorRate7d: percent,
      top_error: z.string().nullable(),
    }),
  }),
  refuses: ['read_models_unavailable'],
});
const history = documented({
  summary: 'What was left of each account in the mean of the last hours',
  query: { hours: z.int().min(1).max(168).default(24) },
  answer: z.object({ window_hours: z.int(), accounts: z.array(AccountUsageAnswer) }),
  refuses: ['read_models_unavailable'],
});
const window = documented({
  summary: 'What is left of each account by its last sample',
  query: { window: z.enum(['primary', 'secondary']).default('primary') },
  answer: z.object({ window_key: z.string(), window_minutes: z.int(), accounts: z.array(AccountUsageAnswer) }),
});

export const usageRoutes = ({ hot, requestTotals, usageTrends, now }: Management) =>
  newRouter('/api/usage')
    .get('/summary', summary, async () => {
      const totals = await requestTotals.since(instant(now() - WEEK_MS), hot.state.position);
      const requests = totals.requests + totals.unlogged;
      return {
        primary_window: aggregatedWindow(hot.state, 'primary'),
        secondary_window: aggregatedWindow(hot.state, 'secondary'),
        cost: { currency: 'USD', totalUsd7d: totals.costMicroDollars / 1_000_000 },
        metrics: {
          requests7d: requests,
          tokens_secondary_window: totals.inputTokens + totals.outputTokens,
          cached_tokens_secondary_window: totals.cachedInputTokens,
          errorRate7d: errorRate(totals),
          top_error: mostFrequent(totals.byErrorCode),
        },
      };
    })
    .get('/history', history, async (ctx) => {
      const hours = integer(ctx, 'hours', { min: 1, max: 168, otherwise: 24 });
      // Samples are kept by the hour: those of an hour that reaches into the stretch belong to it.
      const since = instant(now() - (hours + 1) * HOUR_MS + 1);
      const observed = means(await usageTrends.since(since, hot.state.position));
      return {
        window_hours: hours,
        accounts: [...hot.state.accounts.values()].map(({ id, planType }) => {
          const remaining = observed.get(id) ?? 100;
          const capacity = creditsOf(planType).primary;
          return {
            account_id: id,
            remaining_percent_avg: rounded(remaining),
            capacity_credits: capacity,
            remaining_credits: (capacity * remaining) / 100,
          };
        }),
      };
    })
    .get('/window', window, (ctx) => {
      const key = oneOf(ctx, 'window', ['primary', 'secondary']);
      const accounts = [...hot.state.accounts.values()];
      return {
        window_key: key,
        window_minutes: windowMinutes(hot.state, accounts, key),
        accounts: accounts.map((account) => {
          const { remainingPercent, capacityCredits, remainingCredits } = windowOf(hot.state, account, key);
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

/** Errors among all requests in percent, refusals without a row of their own included. */
export function errorRate({ requests, errors, unlogged }: { requests: number; errors: number; unlogged: number }) {
  const all = requests + unlogged;
  return all === 0 ? 0 : rounded(((errors + unlogged) / all) * 100);
}

/** The code with the most requests, of several the first by name. */
function mostFrequent(byErrorCode: Readonly<Record<string, number>>): string | null {
  const [first] = Object.entries(byErrorCode).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return first?.[0] ?? null;
}

/** Mean of the primary window's samples by account. */
function means(sums: readonly AccountUsageSums[]): Map<string, number> {
  const known = sums.filter(({ primarySamples }) => primarySamples > 0);
  return new Map(known.map((sum) => [sum.accountId, sum.primaryRemaining / sum.primarySamples]));
}
