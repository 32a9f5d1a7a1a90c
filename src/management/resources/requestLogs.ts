import { z } from 'zod';
import { iso } from '../../domain/core/brands.ts';
import type { RequestLogFilter, RequestLogRow } from '../../readModels/requestLogQueries.ts';
import type { Management } from '../app.ts';
import { type ManagementContext, newRouter } from '../http/context.ts';
import { documented } from '../http/describeRoute.ts';
import { integer, many, one, time } from '../http/query.ts';

const values = z.array(z.string()).optional();
const moment = z.iso.datetime({ offset: true }).optional();
const conditions = {
  status: values,
  accountId: values,
  model: values,
  reasoningEffort: values,
  modelOption: values.describe('<model>:::<reasoning_effort>'),
  since: moment.describe('First moment that belongs to the answer'),
  until: moment.describe('Last moment that belongs to the answer'),
};

const RequestLogEntry = z
  .object({
    requested_at: z.iso.datetime(),
    account_id: z.string().nullable(),
    request_id: z.string(),
    model: z.string(),
    status: z.string(),
    error_code: z.string().nullable(),
    error_message: z.string().nullable(),
    tokens: z.int().nullable(),
    cached_input_tokens: z.int().nullable(),
    reasoning_effort: z.string().nullable(),
    cost_usd: z.number().nullable(),
    latency_ms: z.int(),
    api_key_id: z.string().nullable(),
    route: z.string(),
    input_tokens: z.int().nullable(),
    output_tokens: z.int().nullable(),
    reasoning_tokens: z.int().nullable(),
    first_byte_ms: z.int().nullable(),
    attempts: z.int(),
    position: z.int().describe('Of its event in the history'),
  })
  .meta({ id: 'RequestLogEntry' });

const list = documented({
  summary: 'Requests, the latest first',
  query: {
    limit: z.int().min(1).max(1_000).default(50),
    offset: z.int().min(0).default(0),
    search: z.string().optional().describe('A part of the request id or of the error message'),
    ...conditions,
  },
  answer: z.object({ requests: z.array(RequestLogEntry), total: z.int(), has_more: z.boolean() }),
  refuses: ['read_models_unavailable'],
});
const options = documented({
  summary: 'What the request log can be narrowed to; each list ignores the conditions on itself and obeys the others',
  query: conditions,
  answer: z.object({
    account_ids: z.array(z.string()),
    model_options: z.array(z.object({ model: z.string(), reasoning_effort: z.string().nullable() })),
    statuses: z.array(z.string()),
    counts: z
      .object({
        account_ids: z.record(z.string(), z.int()),
        model_options: z.array(z.int()).describe('In the order of model_options'),
        statuses: z.record(z.string(), z.int()),
      })
      .describe('How many requests there are of each'),
  }),
  refuses: ['read_models_unavailable'],
});

export const requestLogRoutes = ({ hot, requestLog }: Management) =>
  newRouter('/api/request-logs')
    .get('/', list, async (ctx) => {
      const limit = integer(ctx, 'limit', { min: 1, max: 1_000, otherwise: 50 });
      const offset = integer(ctx, 'offset', { min: 0, max: Number.MAX_SAFE_INTEGER, otherwise: 0 });
      const { rows, total } = await requestLog.page(filterOf(ctx), limit, offset, hot.state.position);
      return { requests: rows.map(entry), total, has_more: offset + rows.length < total };
    })
    .get('/options', options, async (ctx) => {
      const { search: _, ...filter } = filterOf(ctx);
      const { accountIds, modelOptions, statuses } = await requestLog.options(filter, hot.state.position);
      return {
        account_ids: accountIds.map(({ accountId }) => accountId),
        model_options: modelOptions.map(({ model, effort }) => ({ model, reasoning_effort: effort })),
        statuses: statuses.map(({ status }) => status),
        counts: {
          account_ids: Object.fromEntries(accountIds.map(({ accountId, count }) => [accountId, count])),
          model_options: modelOptions.map(({ count }) => count),
          statuses: Object.fromEntries(statuses.map(({ status, count }) => [status, count])),
        },
      };
    })
    .routes();

function filterOf(ctx: ManagementContext): RequestLogFilter {
  const given: { [Name in keyof RequestLogFilter]: RequestLogFilter[Name] | undefined } = {
    search: one(ctx, 'search') || undefined,
    accountIds: many(ctx, 'accountId', 'account_id'),
    statuses: many(ctx, 'status'),
    models: many(ctx, 'model'),
    // A request without an effort has none, which a query can spell only as nothing.
    efforts: many(ctx, 'reasoningEffort', 'reasoning_effort')?.map((effort) => effort || null),
    modelOptions: many(ctx, 'modelOption', 'model_option')?.map(modelOption),
    since: time(ctx, 'since'),
    until: time(ctx, 'until'),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** `<model>:::<reasoning_effort>`; without an effort, requests that named none. */
function modelOption(option: string): { model: string; effort: string | null } {
  const [model = '', effort = ''] = option.split(':::');
  return { model, effort: effort || null };
}

/** A row as clients see it; what follows `latency_ms` is our addition. */
const entry = (row: RequestLogRow) => ({
  requested_at: iso(row.requestedAt),
  account_id: row.accountId,
  request_id: row.requestId,
  model: row.model,
  status: row.status,
  error_code: row.errorCode,
  error_message: row.errorMessage,
  tokens: row.inputTokens === null || row.outputTokens === null ? null : row.inputTokens + row.outputTokens,
  cached_input_tokens: row.cachedInputTokens,
  reasoning_effort: row.effort,
  cost_usd: row.costMicroDollars === null ? null : row.costMicroDollars / 1_000_000,
  latency_ms: row.latencyMs,
  api_key_id: row.apiKeyId,
  route: row.route,
  input_tokens: row.inputTokens,
  output_tokens: row.outputTokens,
  reasoning_tokens: row.reasoningTokens,
  first_byte_ms: row.firstByteMs,
  attempts: row.attempts,
  position: row.position,
});
