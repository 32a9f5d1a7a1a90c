import { z } from 'zod';
import { instant } from '../../domain/core/brands.ts';
import type { ModelCatalogue } from '../../domain/modelCatalogue/state.ts';
import { type AvailabilityState, availabilityOf } from '../../domain/routing/availability.ts';
import type { Management } from '../app.ts';
import { newRouter } from '../http/context.ts';
import { documented } from '../http/describeRoute.ts';
import { errorRate } from './usage.ts';

const DAY_MS = 86_400_000;

const overview = documented({
  summary: 'Accounts as they are now, usage of the last seven days, requests and errors of the last 24 hours',
  answer: z.object({
    accountCounts: z.object({
      total: z.int(),
      active: z.int(),
      paused: z.int(),
      rateLimited: z.int(),
      quotaExceeded: z.int(),
      deactivated: z.int(),
    }),
    usageSummary: z.object({
      totalTokens: z.int(),
      totalCost: z.number(),
      inputTokens: z.int(),
      outputTokens: z.int(),
    }),
    requestCount: z.int(),
    errorRate: z.number().min(0).max(100),
    usage_refresh_seconds: z.int().describe('How often accounts are asked for their usage'),
  }),
  refuses: ['read_models_unavailable'],
});
const models = documented({
  summary: 'Models that the provider offers, that have a price or have answered a request',
  answer: z.object({ models: z.array(z.object({ id: z.string(), name: z.string() })) }),
  refuses: ['read_models_unavailable'],
});

export const dashboardDataRoutes = (management: Management) => {
  const { hot, requestTotals, requestLog, pricedModels, usageRefreshSeconds, now } = management;
  return newRouter('/api')
    .get('/dashboard/overview', overview, async () => {
      const at = now();
      const [week, day] = await Promise.all([
        requestTotals.since(instant(at - 7 * DAY_MS), hot.state.position),
        requestTotals.since(instant(at - DAY_MS), hot.state.position),
      ]);
      return {
        accountCounts: accountCounts(management),
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
    .get('/models', models, async () => {
      const answered = await requestLog.models(hot.state.position);
      const names = displayNames(hot.state.models);
      const ids = [...new Set([...pricedModels, ...answered, ...names.keys()])].sort();
      return { models: ids.map((id) => ({ id, name: names.get(id) ?? id })) };
    })
    .routes();
};

/** What the provider calls the models that it has described. */
function displayNames({ plans, entries }: ModelCatalogue): Map<string, string> {
  const names = new Map<string, string>();
  for (const { slug, version } of [...plans.values()].flat()) {
    const { display_name: name } = JSON.parse(entries.get(version) ?? '{}') as { display_name?: unknown };
    names.set(slug, typeof name === 'string' && name !== '' ? name : slug);
  }
  return names;
}

/** Each account counts once: by what keeps it from serving, else as active. One that cools for a moment is active. */
function accountCounts({ hot, overlay, now }: Management) {
  const counts = { total: 0, active: 0, paused: 0, rateLimited: 0, quotaExceeded: 0, deactivated: 0 };
  for (const account of hot.state.accounts.values()) {
    const cooling = overlay?.cooling().get(account.id);
    const { state } = availabilityOf(account, hot.state.usage.get(account.id), cooling, now());
    counts.total++;
    counts[countedAs[state]]++;
  }
  return counts;
}

const countedAs = {
  available: 'active',
  cooling: 'active',
  paused: 'paused',
  deactivated: 'deactivated',
  rate_limited: 'rateLimited',
  quota_exceeded: 'quotaExceeded',
} as const satisfies Record<AvailabilityState, string>;
