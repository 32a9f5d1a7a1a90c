import { createHash } from 'node:crypto';
import type { Router } from '@koa/router';
import { z } from 'zod';
import type { ApiKeyChanges, KeyValue, LimitRuleInput } from '../../domain/apiKey/decide.ts';
import { limitTypeSchema, limitWindowSchema } from '../../domain/apiKey/events.ts';
import type { ApiKey } from '../../domain/apiKey/state.ts';
import type { ApiKeyId } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { subjects } from '../../state/fold/subjects.ts';
import type { Management } from '../app.ts';
import { atQuery, viewOf } from '../http/asOf.ts';
import { bodyOf, wireObject } from '../http/body.ts';
import { type ManagementContext, type ManagementState, newRouter } from '../http/context.ts';
import { documented } from '../http/describeRoute.ts';
import { parseTime } from '../http/isoTime.ts';
import { ApiKeyAnswer, apiKeySummary } from './apiKeySummary.ts';

/** Counted in micro-dollars, so that the ceiling stays a number that is exact. */
const MAX_COST_USD = 9_000_000_000;

/** Half of a surrogate pair cannot be kept: it would read back as something else. */
const text = z.string().refine((value) => value.isWellFormed(), 'must be well-formed Unicode');

const Rule = wireObject(
  {
    limit_type: limitTypeSchema(z),
    limit_window: limitWindowSchema(z),
    max_value: z.int().min(1),
    model_filter: text.nullish(),
  },
  ['id', 'current_value', 'reset_at', 'reserved_value', 'current_cost_usd', 'reserved_cost_usd'],
).refine(({ limit_type, max_value }) => limit_type !== 'cost_usd' || max_value <= MAX_COST_USD, {
  path: ['max_value'],
  error: `must be at most ${MAX_COST_USD} for cost_usd`,
});

const time = z.string().transform((text, { addIssue }) => {
  const at = parseTime(text);
  if (at === undefined) addIssue({ code: 'custom', message: 'must be an ISO 8601 time such as 2030-01-31T12:00:00Z' });
  return at ?? z.NEVER;
});

const editable = {
  allowed_models: z.array(text).nullish(),
  expires_at: time.nullish(),
  limits: z.array(Rule).nullish(),
  weekly_token_limit: z.int().min(1).nullish(),
};
const READ_ONLY = ['id', 'key', 'key_prefix', 'created_at', 'last_used_at'];

const CreateApiKey = wireObject(
  {
    name: text,
    ...editable,
    is_active: z.literal(true, 'must be true: a new key is active; change it with PATCH').optional(),
  },
  READ_ONLY,
);
const ChangeApiKey = wireObject(
  { name: text.optional(), ...editable, is_active: z.boolean().optional(), reset_usage: z.boolean().optional() },
  READ_ONLY,
);

const WithValue = ApiKeyAnswer.extend({
  key: z
    .string()
    .regex(/^sk-svc-[0-9a-f]{48}$/)
    .optional()
    .describe('Shown only here; a repeat with the same Idempotency-Key does not have it'),
}).meta({ id: 'ApiKeyWithValue' });

const list = documented({ summary: 'All API keys', query: atQuery, answer: z.array(ApiKeyAnswer) });
const create = documented({
  summary: 'Makes an API key and shows it once',
  body: CreateApiKey,
  answer: WithValue,
  refuses: ['invalid_api_key_payload'],
});
const change = documented({
  summary: 'Changes an API key; what is left out stays as it is',
  body: ChangeApiKey,
  answer: ApiKeyAnswer,
  refuses: ['invalid_api_key_payload', 'api_key_not_found'],
});
const remove = documented({
  summary: 'Removes an API key; it stops working at once',
  answer: 'noContent',
  refuses: ['api_key_not_found'],
});
const regenerate = documented({
  summary: 'Gives an API key a new value and shows it once; the old one stops working at once',
  answer: WithValue,
  refuses: ['api_key_not_found'],
});

export const apiKeyRoutes = (management: Management): ReturnType<Router<ManagementState>['routes']> => {
  const { hot, handle, newId, newKeyBytes } = management;
  const summary = (key: ApiKey | undefined, keyId: ApiKeyId) =>
    apiKeySummary(key ?? refuse('api_key_not_found', { keyId }), management);

  return newRouter('/api/api-keys')
    .get('/', list, async (ctx) => {
      const view = await viewOf(ctx, management);
      return [...view.hot.state.apiKeys.values()].map((key) => apiKeySummary(key, view));
    })
    .post('/', create, async (ctx) => {
      const body = await bodyOf(ctx, CreateApiKey, 'invalid_api_key_payload');
      const keyId = (ctx.state.cause.write?.resourceId ?? newId()) as ApiKeyId;
      const { key, value } = mint(newKeyBytes());
      const command = { type: 'CreateApiKey' as const, keyId, value, name: body.name, ...changesOf(body) };
      const { state, isRepeat } = await handle(subjects.apiKey, keyId, command, ctx.state.cause);
      return { ...summary(state, keyId), ...(!isRepeat && { key }) };
    })
    .patch('/:id', change, async (ctx) => {
      const keyId = idOf(ctx);
      if (!hot.state.apiKeys.has(keyId)) refuse('api_key_not_found', { keyId });
      const body = await bodyOf(ctx, ChangeApiKey, 'invalid_api_key_payload');
      const { name, is_active: isActive, reset_usage: resetUsage } = body;
      const changes: ApiKeyChanges = { ...changesOf(body), name, isActive, resetUsage };
      const command = { type: 'ChangeApiKey' as const, keyId, changes };
      const { state } = await handle(subjects.apiKey, keyId, command, ctx.state.cause);
      return summary(state, keyId);
    })
    .delete('/:id', remove, async (ctx) => {
      const keyId = idOf(ctx);
      await handle(subjects.apiKey, keyId, { type: 'DeleteApiKey', keyId }, ctx.state.cause);
      ctx.status = 204;
    })
    .post('/:id/regenerate', regenerate, async (ctx) => {
      const keyId = idOf(ctx);
      const { key, value } = mint(newKeyBytes());
      const { state, isRepeat } = await handle(
        subjects.apiKey,
        keyId,
        { type: 'RegenerateApiKey', keyId, value },
        ctx.state.cause,
      );
      return { ...summary(state, keyId), ...(!isRepeat && { key }) };
    })
    .routes();
};

const idOf = (ctx: ManagementContext) => (ctx.params.id ?? '') as ApiKeyId;

/** The key itself is shown once and kept nowhere. */
function mint(bytes: Uint8Array): { key: string; value: KeyValue } {
  const key = `sk-svc-${Buffer.from(bytes).toString('hex')}`;
  return { key, value: { hash: createHash('sha256').update(key).digest('hex'), prefix: key.slice(0, 16) } };
}

interface Editable {
  allowed_models?: string[] | null | undefined;
  expires_at?: ApiKeyChanges['expiresAt'];
  limits?: z.output<typeof Rule>[] | null | undefined;
  weekly_token_limit?: number | null | undefined;
}

const changesOf = (body: Editable) => ({
  allowedModels: body.allowed_models,
  expiresAt: body.expires_at,
  limits: limitsOf(body),
});

/** Null means none, left out means as before. The deprecated `weekly_token_limit` counts only without `limits`. */
function limitsOf({ limits, weekly_token_limit: weekly }: Editable): LimitRuleInput[] | undefined {
  if (limits !== undefined) {
    return (limits ?? []).map((rule) => ({
      limitType: rule.limit_type,
      limitWindow: rule.limit_window,
      maxValue: rule.max_value,
      modelFilter: rule.model_filter ?? null,
    }));
  }
  if (weekly === undefined) return undefined;
  if (weekly === null) return [];
  return [{ limitType: 'total_tokens', limitWindow: 'weekly', maxValue: weekly, modelFilter: null }];
}
