import { type Instant, iso } from '../domain/brands.ts';
import { refuse } from '../domain/refusal.ts';
import type { RequestLogFilter, RequestLogRow } from '../readModels/requestLogQueries.ts';
import { type ManagementContext, newRouter } from './context.ts';
import type { Management } from './management.ts';
import { parseTime } from './time.ts';

export const requestLogRoutes = ({ hot, requestLog }: Management) =>
  newRouter('/api/request-logs')
    .get('/', async (ctx) => {
      const limit = integer(ctx, 'limit', { min: 1, max: 1_000, otherwise: 50 });
      const offset = integer(ctx, 'offset', { min: 0, max: Number.MAX_SAFE_INTEGER, otherwise: 0 });
      const { rows, total } = await requestLog.page(filterOf(ctx), limit, offset, hot.state.position);
      return { requests: rows.map(entry), total, has_more: offset + rows.length < total };
    })
    .routes();

function filterOf(ctx: ManagementContext): RequestLogFilter {
  const conditions: { [Name in keyof RequestLogFilter]: RequestLogFilter[Name] | undefined } = {
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
  return Object.fromEntries(Object.entries(conditions).filter(([, value]) => value !== undefined));
}

/** `<model>:::<reasoning_effort>`; without an effort, requests that named none. */
function modelOption(option: string): { model: string; effort: string | null } {
  const [model = '', effort = ''] = option.split(':::');
  return { model, effort: effort || null };
}

function many(ctx: ManagementContext, ...names: string[]): string[] | undefined {
  const values = names.flatMap((name) => ctx.query[name] ?? []);
  return values.length > 0 ? values : undefined;
}

function one(ctx: ManagementContext, name: string): string | undefined {
  const value = ctx.query[name];
  return Array.isArray(value) ? refuse('validation_error', { param: name, problem: 'is given twice' }) : value;
}

function integer(
  ctx: ManagementContext,
  name: string,
  { min, max, otherwise }: { min: number; max: number; otherwise: number },
): number {
  const text = one(ctx, name);
  if (text === undefined) return otherwise;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  return refuse('validation_error', {
    param: name,
    problem: `must be a whole number ${max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`}`,
  });
}

function time(ctx: ManagementContext, name: string): Instant | undefined {
  const text = one(ctx, name);
  if (text === undefined) return undefined;
  return parseTime(text) ?? refuse('validation_error', { param: name, problem: 'must be an ISO 8601 time' });
}

/** A row as callers see it; what follows `latency_ms` is our addition. */
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
});
