import { z } from 'zod';
import { instant } from '../../domain/core/brands.ts';
import { type AvailabilityState, availabilityOf } from '../../domain/routing/availability.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { READERS } from '../http/roles.ts';
import type { View } from '../http/views.ts';
import { errorRate } from './usage/errorStatistics.ts';

const DAY_MS = 86_400_000;

const AccountCounts = z.object({
  total: z.int(),
  active: z.int(),
  paused: z.int(),
  rateLimited: z.int(),
  quotaExceeded: z.int(),
  deactivated: z.int(),
});

const routes = {
  get: describeRoute({
    roles: READERS,
    at: 'past',
    summary: 'Get account counts, usage of the last seven days, and requests and errors of the last 24 hours',
    response: z.object({
      accountCounts: AccountCounts,
      usageSummary: z.object({
        totalTokens: z.int(),
        totalCost: z.number(),
        inputTokens: z.int(),
        outputTokens: z.int(),
      }),
      requestCount: z.int(),
      errorRate: z.number().min(0).max(100),
      usage_refresh_seconds: z.int().describe('Interval at which usage is polled from the provider'),
    }),
    errors: ['read_models_unavailable'],
  }),
};

interface OverviewOptions extends Pick<Capabilities, 'views' | 'queries'> {
  readonly usageRefreshSeconds: number;
}

/** The figures of the dashboard overview. */
export const overviewRoutes = ({ views, queries, usageRefreshSeconds }: OverviewOptions) =>
  newRouter('/api/dashboard')
    .get('/overview', routes.get, async (ctx) => {
      const view = await views.sumsAsOf(ctx);
      const { now: at, upTo } = view;
      // Before the queries, during which the state changes.
      const counts = accountCounts(view);
      const [week, day] = await Promise.all([
        queries.requestTotals.since(instant(at - 7 * DAY_MS), upTo),
        queries.requestTotals.since(instant(at - DAY_MS), upTo),
      ]);
      return {
        accountCounts: counts,
        usageSummary: {
          totalTokens: week.inputTokens + week.outputTokens,
          totalCost: week.costMicroDollars / 1_000_000,
          inputTokens: week.inputTokens,
          outputTokens: week.outputTokens,
        },
        requestCount: day.requests + day.unlogged,
        errorRate: errorRate(day),
        usage_refresh_seconds: usageRefreshSeconds,
      };
    })
    .routes();

/** Counts each account once, by why it is unavailable. Cool-downs are short, so cooling accounts are counted as active. */
function accountCounts({ state, now }: View): z.infer<typeof AccountCounts> {
  const counts = { total: 0, active: 0, paused: 0, rateLimited: 0, quotaExceeded: 0, deactivated: 0 };
  for (const account of state.accounts.values()) {
    const availability = availabilityOf(account, state.usage.get(account.id), state.coolDowns.get(account.id), now);
    counts.total++;
    counts[COUNT_OF_STATE[availability.state]]++;
  }
  return counts;
}

const COUNT_OF_STATE = {
  available: 'active',
  cooling: 'active',
  paused: 'paused',
  deactivated: 'deactivated',
  rate_limited: 'rateLimited',
  quota_exceeded: 'quotaExceeded',
} as const satisfies Record<AvailabilityState, string>;
