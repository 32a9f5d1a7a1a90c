import { z } from 'zod';
import { type Instant, instant, iso } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { RequestStep } from '../../readModels/requestTotalsQueries.ts';
import type { Management } from '../app.ts';
import { type ManagementContext, newRouter } from '../http/context.ts';
import { documented } from '../http/describeRoute.ts';
import { integer } from '../http/query.ts';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;

const trends = documented({
  summary: 'Requests, tokens and cost over the last hours, step by step, and what went wrong most often',
  query: {
    hours: z.int().min(1).max(168).default(24),
    step_minutes: z
      .int()
      .min(1)
      .max(DAY_MINUTES)
      .default(60)
      .describe('A part of a day. Steps begin at midnight UTC; the last one is the one that has begun'),
  },
  answer: z.object({
    step_minutes: z.int(),
    since: z.iso.datetime(),
    points: z.array(
      z.object({
        t: z.iso.datetime(),
        requests: z.int(),
        errors: z.int(),
        input_tokens: z.int(),
        cached_input_tokens: z.int(),
        output_tokens: z.int(),
        cost_usd: z.number(),
        mean_latency_ms: z.int().nullable(),
      }),
    ),
    errors: z.array(z.object({ code: z.string(), requests: z.int() })).describe('The most frequent first'),
  }),
  refuses: ['validation_error', 'read_models_unavailable'],
});

export const requestTrendsRoutes = ({ hot, requestTotals, now }: Management) =>
  newRouter('/api/dashboard')
    .get('/trends', trends, async (ctx) => {
      const hours = integer(ctx, 'hours', { min: 1, max: 168, otherwise: 24 });
      const stepMinutes = stepOf(ctx);
      const stepMs = stepMinutes * MINUTE_MS;
      const count = Math.ceil((hours * 60) / stepMinutes);
      const at = now();
      const since = instant(at - (at % stepMs) - (count - 1) * stepMs);
      const { position } = hot.state;
      const [steps, { byErrorCode }] = await Promise.all([
        requestTotals.steps(since, stepMs, position),
        requestTotals.since(since, position),
      ]);
      const byStart = new Map(steps.map((step) => [step.start, step]));
      return {
        step_minutes: stepMinutes,
        since: iso(since),
        points: Array.from({ length: count }, (_, index) => {
          const start = instant(since + index * stepMs);
          return point(start, byStart.get(start));
        }),
        errors: Object.entries(byErrorCode)
          .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
          .map(([code, requests]) => ({ code, requests })),
      };
    })
    .routes();

/** @throws Refusal `validation_error` for steps that a day cannot be divided into */
function stepOf(ctx: ManagementContext): number {
  const minutes = integer(ctx, 'step_minutes', { min: 1, max: DAY_MINUTES, otherwise: 60 });
  if (DAY_MINUTES % minutes === 0) return minutes;
  return refuse('validation_error', { param: 'step_minutes', problem: 'must divide a day of 1440 minutes' });
}

/** Refusals without a row of their own are requests and errors here, as everywhere in the overview. */
const point = (start: Instant, step: RequestStep | undefined) => ({
  t: iso(start),
  requests: step ? step.requests + step.unlogged : 0,
  errors: step ? step.errors + step.unlogged : 0,
  input_tokens: step?.inputTokens ?? 0,
  cached_input_tokens: step?.cachedInputTokens ?? 0,
  output_tokens: step?.outputTokens ?? 0,
  cost_usd: (step?.costMicroDollars ?? 0) / 1_000_000,
  mean_latency_ms: step && step.requests > 0 ? Math.round(step.latencyMs / step.requests) : null,
});
