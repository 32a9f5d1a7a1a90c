import { createHash } from 'node:crypto';
import { z } from 'zod';
import { MAX_ALLOWED_MODELS, MAX_LIMITS, MAX_MODEL_BYTES } from '../../domain/apiKey/bounds.ts';
import type { ApiKeyChanges, KeyValue, LimitRuleInput } from '../../domain/apiKey/decide.ts';
import type { ApiKey } from '../../domain/apiKey/state.ts';
import { type ApiKeyId, type Instant, iso } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { type KeyCounters, usedAt } from '../../domain/limits/counters.ts';
import { type LimitRule, limitTypeSchema, limitWindowSchema, onExceededSchema } from '../../domain/limits/limitRule.ts';
import { limitTypes } from '../../domain/limits/limitTypes.ts';
import { windowAt } from '../../domain/limits/limitWindows.ts';
import type { OpenRequest } from '../../state/fold/hotState.ts';
import { reservedByOpen } from '../../state/fold/openReservations.ts';
import { subjects } from '../../state/fold/subjects.ts';
import { boundedArray, readBody, wireObject } from '../http/body.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { type ManagementContext, newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { parseTime } from '../http/isoTime.ts';
import { atQuery, type View } from '../http/views.ts';
import { reservedFields } from './apiKeys/reservedFields.ts';

/** An unpaired surrogate would not survive storage in UTF-8. */
const text = z.string().refine((value) => value.isWellFormed(), 'must be well-formed Unicode');

const model = text.max(MAX_MODEL_BYTES, `must be at most ${MAX_MODEL_BYTES} bytes long`);

const LimitInput = wireObject(
  {
    limit_type: limitTypeSchema(z),
    limit_window: limitWindowSchema(z),
    max_value: z.int().min(1),
    model_filter: model.nullish(),
    on_exceeded: onExceededSchema(z)
      .optional()
      .describe(
        'What happens to a stream that runs past the limit. Absent: an existing limit keeps its value, a new one has `finish`',
      ),
  },
  ['id', 'current_value', 'reset_at', 'reserved_value', 'current_cost_usd', 'reserved_cost_usd'],
).superRefine(({ limit_type, max_value }, { addIssue }) => {
  const { maxValue } = limitTypes[limit_type];
  if (max_value > maxValue) {
    addIssue({ code: 'custom', path: ['max_value'], message: `must be at most ${maxValue} for ${limit_type}` });
  }
});

const time = z.string().transform((text, { addIssue }) => {
  const at = parseTime(text);
  if (at === undefined) addIssue({ code: 'custom', message: 'must be an ISO 8601 time such as 2030-01-31T12:00:00Z' });
  return at ?? z.NEVER;
});

const editableFields = {
  allowed_models: boundedArray(model, MAX_ALLOWED_MODELS).nullish(),
  expires_at: time.nullish(),
  limits: boundedArray(LimitInput, MAX_LIMITS).nullish(),
  weekly_token_limit: z.int().min(1).nullish(),
};
const READ_ONLY = ['id', 'key', 'key_prefix', 'created_at', 'last_used_at'];

const CreateApiKey = wireObject(
  {
    name: text,
    ...editableFields,
    is_active: z.literal(true, 'must be true: new keys are active; deactivate a key with PATCH').optional(),
  },
  READ_ONLY,
);
const ChangeApiKey = wireObject(
  { name: text.optional(), ...editableFields, is_active: z.boolean().optional(), reset_usage: z.boolean().optional() },
  READ_ONLY,
);

const Limit = z
  .object({
    id: z.int(),
    limit_type: limitTypeSchema(z),
    limit_window: limitWindowSchema(z),
    max_value: z.int(),
    model_filter: z.string().nullable(),
    on_exceeded: onExceededSchema(z),
    reset_at: z.iso.datetime(),
    current_value: z.int(),
    reserved_value: z
      .int()
      .describe('What requests that are open for two seconds or longer have reserved, in addition to `current_value`'),
    current_cost_usd: z.number().optional(),
    reserved_cost_usd: z.number().optional(),
  })
  .meta({ id: 'LimitRule' });

const ApiKeyEntry = z
  .object({
    id: z.uuid(),
    name: z.string(),
    key_prefix: z.string(),
    allowed_models: z.array(z.string()).nullable(),
    expires_at: z.iso.datetime().nullable(),
    is_active: z.boolean(),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable(),
    limits: z.array(Limit),
  })
  .meta({ id: 'ApiKey' });

const ApiKeyWithValue = ApiKeyEntry.extend({
  key: z
    .string()
    .regex(/^sk-svc-[0-9a-f]{48}$/)
    .optional()
    .describe('Returned only once; absent when the request repeats an Idempotency-Key'),
}).meta({ id: 'ApiKeyWithValue' });

const routes = {
  list: describeRoute({ summary: 'List all API keys', query: atQuery, response: z.array(ApiKeyEntry) }),
  create: describeRoute({
    summary: 'Create an API key; the response contains its value once',
    body: CreateApiKey,
    response: ApiKeyWithValue,
    errors: ['invalid_api_key_payload'],
  }),
  change: describeRoute({
    summary: 'Change an API key; omitted fields stay unchanged',
    body: ChangeApiKey,
    response: ApiKeyEntry,
    errors: ['invalid_api_key_payload', 'api_key_not_found'],
  }),
  remove: describeRoute({
    summary: 'Delete an API key; it stops working immediately',
    response: 'noContent',
    errors: ['api_key_not_found'],
  }),
  regenerate: describeRoute({
    summary: 'Replace the value of an API key; the old value stops working immediately',
    response: ApiKeyWithValue,
    errors: ['api_key_not_found'],
  }),
};

/** API keys with their limits and usage. */
export const apiKeyRoutes = ({ views, commands, ids }: Pick<Capabilities, 'views' | 'commands' | 'ids'>) => {
  const current = (key: ApiKey | undefined, keyId: ApiKeyId) => {
    const view = views.currentView();
    return apiKeyEntry(key ?? refuse('api_key_not_found', { keyId }), view, openByKey(view).get(keyId));
  };

  return newRouter('/api/api-keys')
    .get('/', routes.list, async (ctx) => {
      const view = await views.asOf(ctx);
      const open = openByKey(view);
      return [...view.state.apiKeys.values()].map((key) => apiKeyEntry(key, view, open.get(key.id)));
    })
    .post('/', routes.create, async (ctx) => {
      const body = await readBody(ctx, CreateApiKey, 'invalid_api_key_payload');
      const keyId = (ctx.state.cause.write?.resourceId ?? ids.newId()) as ApiKeyId;
      const { key, value } = mintKey(ids.newKeyBytes());
      const command = { type: 'CreateApiKey' as const, keyId, value, name: body.name, ...changesOf(body) };
      const { state, isRepeat } = await commands.handle(subjects.apiKey, keyId, command, ctx.state.cause);
      return { ...current(state, keyId), ...(!isRepeat && { key }) };
    })
    .patch('/:id', routes.change, async (ctx) => {
      const keyId = readKeyId(ctx);
      if (!views.current.apiKeys.has(keyId)) refuse('api_key_not_found', { keyId });
      const body = await readBody(ctx, ChangeApiKey, 'invalid_api_key_payload');
      const { name, is_active: isActive, reset_usage: resetUsage } = body;
      const changes: ApiKeyChanges = { ...changesOf(body), name, isActive, resetUsage };
      const command = { type: 'ChangeApiKey' as const, keyId, changes };
      const { state } = await commands.handle(subjects.apiKey, keyId, command, ctx.state.cause);
      return current(state, keyId);
    })
    .delete('/:id', routes.remove, async (ctx) => {
      const keyId = readKeyId(ctx);
      await commands.handle(subjects.apiKey, keyId, { type: 'DeleteApiKey', keyId }, ctx.state.cause);
      ctx.status = 204;
    })
    .post('/:id/regenerate', routes.regenerate, async (ctx) => {
      const keyId = readKeyId(ctx);
      const { key, value } = mintKey(ids.newKeyBytes());
      const command = { type: 'RegenerateApiKey' as const, keyId, value };
      const { state, isRepeat } = await commands.handle(subjects.apiKey, keyId, command, ctx.state.cause);
      return { ...current(state, keyId), ...(!isRepeat && { key }) };
    })
    .routes();
};

const readKeyId = (ctx: ManagementContext) => (ctx.params.id ?? '') as ApiKeyId;

/** @returns the key, which is never stored, and what is: its hash and its first characters */
function mintKey(bytes: Uint8Array): { key: string; value: KeyValue } {
  const key = `sk-svc-${Buffer.from(bytes).toString('hex')}`;
  return { key, value: { hash: createHash('sha256').update(key).digest('hex'), prefix: key.slice(0, 16) } };
}

interface EditableFields {
  allowed_models?: string[] | null | undefined;
  expires_at?: ApiKeyChanges['expiresAt'];
  limits?: z.output<typeof LimitInput>[] | null | undefined;
  weekly_token_limit?: number | null | undefined;
}

const changesOf = (body: EditableFields) => ({
  allowedModels: body.allowed_models,
  expiresAt: body.expires_at,
  limits: limitsOf(body),
});

/** Null removes all limits; undefined leaves them unchanged. The deprecated `weekly_token_limit` yields to `limits`. */
function limitsOf({ limits, weekly_token_limit: weekly }: EditableFields): LimitRuleInput[] | undefined {
  if (limits !== undefined) {
    return (limits ?? []).map((rule) => ({
      limitType: rule.limit_type,
      limitWindow: rule.limit_window,
      maxValue: rule.max_value,
      modelFilter: rule.model_filter ?? null,
      onExceeded: rule.on_exceeded,
    }));
  }
  if (weekly === undefined) return undefined;
  if (weekly === null) return [];
  return [{ limitType: 'total_tokens', limitWindow: 'weekly', maxValue: weekly, modelFilter: null }];
}

const openByKey = ({ state }: View) => Map.groupBy(state.openRequests.values(), ({ data }) => data.keyId);

/** A key with its usage, without its value. @param open its requests that were announced and have not ended */
function apiKeyEntry(
  key: ApiKey,
  { state, windowsNow }: View,
  open: readonly OpenRequest[] = [],
): z.infer<typeof ApiKeyEntry> {
  const counters = state.counters.get(key.id);
  return {
    id: key.id,
    name: key.name,
    key_prefix: key.prefix,
    allowed_models: key.allowedModels && [...key.allowedModels],
    expires_at: key.expiresAt === null ? null : iso(key.expiresAt),
    is_active: key.isActive,
    created_at: iso(key.createdAt),
    last_used_at: counters?.lastUsedAt ? iso(counters.lastUsedAt) : null,
    limits: key.rules.map((rule) => {
      const reserved = reservedByOpen(open, rule, state.windowsClock, windowsNow);
      return limitEntry(rule, counters, reserved, windowsNow);
    }),
  };
}

/**
 * `reserved_value` is what open requests have reserved in addition to `current_value`, once the log has them
 * (docs/decisions/0027-open-requests-are-announced.md). Costs are counted in micro-dollars: a `cost_usd` rule shows them in
 * whole dollars, and exactly in `..._cost_usd` (docs/decisions/0025-limit-windows-and-units.md).
 */
function limitEntry(rule: LimitRule, counters: KeyCounters | undefined, reserved: number, windowsNow: Instant) {
  const used = usedAt(counters, rule, windowsNow);
  const { amountsPerUnit } = limitTypes[rule.limitType];
  const entry = {
    id: rule.id,
    limit_type: rule.limitType,
    limit_window: rule.limitWindow,
    max_value: rule.maxValue,
    model_filter: rule.modelFilter,
    on_exceeded: rule.onExceeded,
    reset_at: iso(windowAt(rule, windowsNow).resetAt),
    current_value: Math.floor(used / amountsPerUnit),
    ...reservedFields(rule, reserved),
  };
  return rule.limitType === 'cost_usd' ? { ...entry, current_cost_usd: used / amountsPerUnit } : entry;
}
