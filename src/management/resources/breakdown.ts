import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { type FigureSums, type Grouping, groupings, OTHER } from '../../../projections/figures.ts';
import { type Instant, instant, iso } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { figureSteps } from '../../readModels/figureSteps.ts';
import type { Breakdown, Figures } from '../../readModels/figuresQueries.ts';
import type { RequestLogFilter } from '../../readModels/requestLogQueries.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { queryChoice, queryText } from '../http/query.ts';
import { EVERYONE } from '../http/roles.ts';
import { isLimitedToOwn, type Principal } from '../people/principal.ts';
import { archivedOf, archivedSchema } from './archives/archivedDays.ts';
import { createLabels } from './breakdown/labels.ts';
import { INTERVALS, timeSteps, wallClockOf } from './breakdown/timeSteps.ts';
import { filterQuery, readFilter } from './requestLogs.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 7;
/** A leap year, and an hour that clocks may be put back. */
const MAX_RANGE_MS = 366 * DAY_MS + 3_600_000;
/** The hours of the longest range, of which the first and the last may be parts. */
const MAX_STEPS = 366 * 24 + 3;
const MAX_GROUPS = 1_000;
/** Groups of all steps together: some 17 MB before compression. A week of hours has 595 in each, a year of hours 11. */
const MAX_CELLS = 100_000;

const percentiles = z.object({ p50: z.int(), p95: z.int(), p99: z.int() }).nullable();
const sums = {
  requests: z.int(),
  errors: z.int().describe('Requests whose status is not 200'),
  input_tokens: z.int(),
  cached_input_tokens: z.int(),
  output_tokens: z.int(),
  reasoning_tokens: z.int(),
  cost_usd: z.number(),
  tokens_per_second: z.number().nullable().describe('Output tokens by the time from the first byte to the end'),
};
const UsageSums = z.object(sums).meta({ id: 'UsageSums' });
const UsageFigures = z
  .object({ ...sums, latency_ms: percentiles, first_byte_ms: percentiles })
  .meta({ id: 'UsageFigures' });

const routes = {
  get: describeRoute({
    roles: EVERYONE,
    at: 'past',
    summary: 'Get requests, tokens, cost and latencies by group and over time; members get those of their own keys',
    query: {
      group_by: z.enum(groupings as [Grouping, ...Grouping[]]).default('key'),
      interval: z.enum(INTERVALS).default('day'),
      time_zone: z.string().default('UTC').describe('Of days, hours and months, for example Asia/Kolkata'),
      ...filterQuery,
      since: filterQuery.since.describe('Earliest time, inclusive; seven days before the end by default'),
      until: filterQuery.until.describe('Latest time, inclusive; now by default'),
    },
    response: z.object({
      group_by: z.enum(groupings as [Grouping, ...Grouping[]]),
      interval: z.enum(INTERVALS),
      time_zone: z.string(),
      since: z.iso.datetime(),
      until: z.iso.datetime(),
      groups: z
        .array(UsageFigures.extend({ id: z.string().nullable(), label: z.string() }))
        .describe('Most requests first, at most 1,000; all further ones are the last one, `other`'),
      series: z.array(
        z.object({
          at: z.iso.datetime(),
          total: UsageFigures,
          groups: z
            .record(z.string(), UsageSums)
            .describe(
              'By id; that of the group without one is empty. The largest groups, as many as all steps together have 100,000 of; all others are `other`',
            ),
        }),
      ),
      total: UsageFigures,
      position: z.int().describe('Position of the log up to which all requests are counted'),
      ...archivedSchema,
    }),
    errors: ['validation_error', 'insufficient_permissions', 'read_models_unavailable'],
  }),
};

/** Who used what (docs/decisions/0089-figures.md). */
export const breakdownRoutes = ({
  views,
  queries,
  vault,
  directory,
}: Pick<Capabilities, 'views' | 'queries' | 'vault' | 'directory'>) =>
  newRouter('/api/usage')
    .get('/breakdown', routes.get, async (ctx) => {
      const by = queryChoice(ctx, 'group_by', ['key', ...groupings.filter((name) => name !== 'key')]) as Grouping;
      const interval = queryChoice(ctx, 'interval', ['day', 'hour', 'month']);
      const timeZone = queryText(ctx, 'time_zone') || 'UTC';
      const clock =
        wallClockOf(timeZone) ??
        refuse('validation_error', {
          param: 'time_zone',
          problem: 'must be the name of a time zone, for example Europe/Berlin',
        });
      const { now, upTo, state } = await views.sumsAsOf(ctx);
      const { since, until, ...filter } = readFilter(ctx, vault);
      const to = instant((until ?? now) + 1);
      const from = since ?? instant(to - DEFAULT_DAYS * DAY_MS);
      requireRange(from, to);
      const edges =
        timeSteps({ from, to, interval, clock }, MAX_STEPS) ??
        refuse('validation_error', {
          param: 'interval',
          problem: `gives more than ${MAX_STEPS.toLocaleString('en')} steps: choose a longer one, or a shorter time`,
        });
      const request = {
        by,
        filter: ownFilter(ctx.state.principal, by, filter),
        edges,
        maxGroups: MAX_GROUPS,
        maxGroupsOfSteps: Math.floor(MAX_CELLS / (edges.length - 1)),
        cancellation: cancelledByClose(ctx.res),
      };
      const result = await queries.figures.breakdown(request, upTo);
      const labelOf = createLabels(state, vault, directory.asOf(state), ctx.state.principal);
      return {
        group_by: by,
        interval,
        time_zone: timeZone,
        since: iso(from),
        until: iso(instant(to - 1)),
        ...rendered(result, edges, (id, isRest) => (isRest ? 'Other' : labelOf(by, id))),
        ...archivedOf(result),
      };
    })
    .routes();

/** A number that is 1 once the connection of a response is closed: a year of millions of requests takes long to count for no one. */
function cancelledByClose(response: ServerResponse): Int32Array<SharedArrayBuffer> {
  const cancellation = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  response.once('close', () => Atomics.store(cancellation, 0, 1));
  return cancellation;
}

/** @throws Refusal `validation_error` */
function requireRange(from: Instant, to: Instant): void {
  const problem =
    from >= to
      ? 'must not be after until'
      : to - from > MAX_RANGE_MS
        ? 'must be within a year before until'
        : undefined;
  if (problem) refuse('validation_error', { param: 'since', problem });
}

/**
 * The filter; for a member that of requests whose key was theirs at the time, and of which accounts do not exist.
 * @throws Refusal `insufficient_permissions`
 */
function ownFilter(principal: Principal | undefined, by: Grouping, filter: RequestLogFilter): RequestLogFilter {
  if (!principal || !isLimitedToOwn(principal)) return filter;
  if (by === 'account' || filter.accountIds || filter.attemptedAccountIds) {
    refuse('insufficient_permissions', { problem: 'members see no accounts' });
  }
  const { operatorId } = principal;
  return { ...filter, owners: !filter.owners || filter.owners.includes(operatorId) ? [operatorId] : [] };
}

const rendered = (
  { groups, steps, total, position }: Breakdown,
  edges: readonly Instant[],
  labelOf: (id: string | null, isRest: boolean) => string,
) => ({
  groups: groups.map(({ id, isRest, ...figures }) => ({
    id: isRest ? OTHER : id,
    label: labelOf(id, isRest),
    ...renderedFigures(figures),
  })),
  series: [...figureSteps(steps, edges)].map((step) => ({
    at: iso(step.at),
    total: renderedFigures(step.total),
    groups: Object.fromEntries(
      step.groups.map(({ id, isRest, sums: own }) => [isRest ? OTHER : (id ?? ''), renderedSums(own)]),
    ),
  })),
  total: renderedFigures(total),
  position,
});

const renderedFigures = ({ sums: own, latencyMs, firstByteMs }: Figures): z.infer<typeof UsageFigures> => ({
  ...renderedSums(own),
  latency_ms: latencyMs,
  first_byte_ms: firstByteMs,
});

const renderedSums = (own: FigureSums): z.infer<typeof UsageSums> => ({
  requests: own.requests,
  errors: own.errors,
  input_tokens: own.inputTokens,
  cached_input_tokens: own.cachedInputTokens,
  output_tokens: own.outputTokens,
  reasoning_tokens: own.reasoningTokens,
  cost_usd: own.costMicroDollars / 1_000_000,
  tokens_per_second:
    own.generatingMs > 0 ? Math.round((own.generatedTokens / own.generatingMs) * 1_000_000) / 1_000 : null,
});
