import { z } from 'zod';
import { type Instant, instant, iso } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { RequestStep } from '../../readModels/requestTotalsQueries.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { type ManagementContext, newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { queryInteger } from '../http/query.ts';
import { READERS } from '../http/roles.ts';
import { byFrequency } from './usage/errorStatistics.ts';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;

const TrendPoint = z.object({
  t: z.iso.datetime(),
  requests: z.int(),
  errors: z.int(),
  input_tokens: z.int(),
  cached_input_tokens: z.int(),
  output_tokens: z.int(),
  cost_usd: z.number(),
  mean_latency_ms: z.int().nullable(),
});

const routes = {
  get: describeRoute({
    roles: READERS,
    at: 'past',
    summary: 'Get requests, tokens and cost of the last hours in steps, and the most frequent errors',
    query: {
      hours: z.int().min(1).max(168).default(24),
      step_minutes: z
        .int()
        .min(1)
        .max(DAY_MINUTES)
        .default(60)
        .describe('Must divide a day. Steps are aligned to midnight UTC; the last one is incomplete'),
    },
    response: z.object({
      step_minutes: z.int(),
      since: z.iso.datetime(),
      points: z.array(TrendPoint),
      errors: z.array(z.object({ code: z.string(), requests: z.int() })).describe('Most frequent first'),
    }),
    errors: ['validation_error', 'read_models_unavailable'],
  }),
};

/** Requests, tokens and cost over time. */
export const requestTrendsRoutes = ({ views, queries }: Pick<Capabilities, 'views' | 'queries'>) =>
  newRouter('/api/dashboard')
    .get('/trends', routes.get, async (ctx) => {
      const hours = queryInteger(ctx, 'hours', { min: 1, max: 168, fallback: 24 });
      const stepMinutes = readStepMinutes(ctx);
      const stepMs = stepMinutes * MINUTE_MS;
      const count = Math.ceil((hours * 60) / stepMinutes);
      const { now: at, upTo } = await views.sumsAsOf(ctx);
      const since = instant(at - (at % stepMs) - (count - 1) * stepMs);
      const [steps, { byErrorCode }] = await Promise.all([
        queries.requestTotals.steps(since, stepMs, upTo),
        queries.requestTotals.since(since, upTo),
      ]);
      const byStart = new Map(steps.map((step) => [step.start, step]));
      return {
        step_minutes: stepMinutes,
        since: iso(since),
        points: Array.from({ length: count }, (_, index) => {
          const start = instant(since + index * stepMs);
          return trendPoint(start, byStart.get(start));
        }),
        errors: byFrequency(byErrorCode).map(([code, requests]) => ({ code, requests })),
      };
    })
    .routes();

/** @throws Refusal `validation_error` for steps that do not divide a day */
function readStepMinutes(ctx: ManagementContext): number {
  const minutes = queryInteger(ctx, 'step_minutes', { min: 1, max: DAY_MINUTES, fallback: 60 });
  if (DAY_MINUTES % minutes === 0) return minutes;
  return refuse('validation_error', { param: 'step_minutes', problem: 'must divide a day of 1440 minutes' });
}

/** Includes refused requests that the log only counts in requests and errors, as the overview does. */
const trendPoint = (start: Instant, step: RequestStep | undefined): z.infer<typeof TrendPoint> => ({
  t: iso(start),
  requests: step ? step.requests + step.unlogged : 0,
  errors: step ? step.errors + step.unlogged : 0,
  input_tokens: step?.inputTokens ?? 0,
  cached_input_tokens: step?.cachedInputTokens ?? 0,
  output_tokens: step?.outputTokens ?? 0,
  cost_usd: (step?.costMicroDollars ?? 0) / 1_000_000,
  mean_latency_ms: step && step.requests > 0 ? Math.round(step.latencyMs / step.requests) : null,
});
