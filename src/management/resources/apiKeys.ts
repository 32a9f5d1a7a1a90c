import { createHash } from 'node:crypto';
import { z } from 'zod';
import { MAX_ALLOWED_MODELS, MAX_REGIONS } from '../../domain/apiKey/bounds.ts';
import type { ApiKeyChanges, KeyValue } from '../../domain/apiKey/decide.ts';
import type { ApiKey } from '../../domain/apiKey/state.ts';
import { type ApiKeyId, type Instant, iso, type TeamId } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { isHeld } from '../../domain/hold/isHeld.ts';
import type { LimitRuleInput } from '../../domain/limits/changeRules.ts';
import { mapInSlices } from '../../lib/mapInSlices.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { subjects } from '../../state/fold/subjects.ts';
import { callersOfKey } from '../../vault/callerKeys.ts';
import { boundedArray, readBody, wireObject } from '../http/body.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { type ManagementContext, newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { parseTime } from '../http/isoTime.ts';
import { queryChoice } from '../http/query.ts';
import { EVERYONE, KEY_OWNERS } from '../http/roles.ts';
import type { View } from '../http/views.ts';
import { isLimitedToOwn } from '../people/principal.ts';
import { mayUseKey, placeOfNewKey, requireKey, requireMayChange } from './apiKeys/ownKeys.ts';
import { Limit, limitEntries, type OpenByHolder, openByHolder } from './limits/limitEntries.ts';
import { LimitsInput, limitRulesInput, model, text } from './limits/limitInput.ts';

const time = z.string().transform((text, { addIssue }) => {
  const at = parseTime(text);
  if (at === undefined) addIssue({ code: 'custom', message: 'must be an ISO 8601 time such as 2030-01-31T12:00:00Z' });
  return at ?? z.NEVER;
});

const editableFields = {
  allowed_models: boundedArray(model, MAX_ALLOWED_MODELS).nullish(),
  regions: boundedArray(text, MAX_REGIONS)
    .nullish()
    .describe(
      'Where its requests may be served, as accounts name it, for example `eu`; null or empty: in every region',
    ),
  expires_at: time.nullish(),
  limits: LimitsInput.nullish(),
  weekly_token_limit: z.int().min(1).nullish(),
  owner: text.nullish().describe("To whom the key belongs: an operator's id or a free text; null: none"),
  team: z.string().nullish().describe('The id of its team; null: none'),
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
  {
    name: text.optional(),
    ...editableFields,
    is_active: z.boolean().optional(),
    reset_usage: z.boolean().optional(),
  },
  READ_ONLY,
);

const ApiKeyEntry = z
  .object({
    id: z.uuid(),
    name: z.string(),
    key_prefix: z.string(),
    allowed_models: z.array(z.string()).nullable(),
    regions: z.array(z.string()).nullable().describe('Where its requests may be served; null: in every region'),
    expires_at: z.iso.datetime().nullable(),
    is_active: z.boolean(),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable(),
    limits: z.array(Limit),
    owner: z.string().nullable(),
    team: z.string().nullable().describe('The id of its team'),
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
  list: describeRoute({
    roles: EVERYONE,
    at: 'past',
    summary: 'List all API keys; to members their own',
    response: z.array(ApiKeyEntry),
  }),
  create: describeRoute({
    roles: KEY_OWNERS,
    summary: 'Create an API key; the response contains its value once',
    body: CreateApiKey,
    response: ApiKeyWithValue,
    errors: ['invalid_api_key_payload'],
  }),
  change: describeRoute({
    roles: KEY_OWNERS,
    summary: 'Change an API key; omitted fields stay unchanged',
    body: ChangeApiKey,
    response: ApiKeyEntry,
    errors: ['invalid_api_key_payload', 'api_key_not_found'],
  }),
  remove: describeRoute({
    roles: KEY_OWNERS,
    summary: 'Delete an API key; it stops working immediately',
    query: {
      forget_callers: z
        .enum(['true', 'false'])
        .optional()
        .describe('With `true`, addresses and user agents of its requests become unreadable for good'),
    },
    response: 'noContent',
    errors: ['api_key_not_found', 'validation_error', 'callers_held'],
  }),
  regenerate: describeRoute({
    roles: KEY_OWNERS,
    isIrreversible: true,
    summary: 'Replace the value of an API key; the old value stops working immediately',
    response: ApiKeyWithValue,
    errors: ['api_key_not_found'],
  }),
};

/** API keys with their limits and usage. */
export const apiKeyRoutes = ({
  views,
  commands,
  ids,
  vault,
}: Pick<Capabilities, 'views' | 'commands' | 'ids' | 'vault'>) => {
  const current = (key: ApiKey | undefined, keyId: ApiKeyId) => {
    const view = views.currentView();
    return apiKeyEntry(key ?? refuse('api_key_not_found', { keyId }), view, openByHolder(view.state));
  };

  /** A repeated deletion must find that it was made, so that only members are asked for their key. */
  const requireOwnKey = ({ state: { principal } }: ManagementContext, keyId: ApiKeyId): void => {
    if (principal && isLimitedToOwn(principal)) requireKey(principal, views.current, keyId);
  };

  /** @throws Refusal `callers_held` when a hold is on events of the key, or of any subject, since it was created */
  function requireNoHold(keyId: ApiKeyId, from: Instant): void {
    const own = { from, subjects: new Set([`apiKey-${keyId}`]) };
    if (isHeld(views.current.holds.active.values(), own)) refuse('callers_held');
  }

  return newRouter('/api/api-keys')
    .get('/', routes.list, async (ctx) => {
      const view = await views.asOf(ctx);
      const open = openByHolder(view.state);
      const keys = [...view.state.apiKeys.values()].filter((key) => mayUseKey(ctx.state.principal, key));
      return mapInSlices(keys, (key) => apiKeyEntry(key, view, open));
    })
    .post('/', routes.create, async (ctx) => {
      const body = await readBody(ctx, CreateApiKey, 'invalid_api_key_payload');
      const keyId = (ctx.state.cause.write?.resourceId ?? ids.newId()) as ApiKeyId;
      const { key, value } = mintKey(ids.newKeyBytes());
      const command = {
        type: 'CreateApiKey' as const,
        keyId,
        value,
        name: body.name,
        ...changesOf({ ...body, ...placeOfNewKey(ctx.state.principal, body, views.current) }, views.current),
      };
      const { state, isRepeat } = await commands.handle(subjects.apiKey, keyId, command, ctx.state.cause);
      return { ...current(state, keyId), ...(!isRepeat && { key }) };
    })
    .patch('/:id', routes.change, async (ctx) => {
      const keyId = readKeyId(ctx);
      requireKey(ctx.state.principal, views.current, keyId);
      const body = await readBody(ctx, ChangeApiKey, 'invalid_api_key_payload');
      requireMayChange(ctx.state.principal, body);
      const { name, is_active: isActive, reset_usage: resetUsage } = body;
      const changes: ApiKeyChanges = { ...changesOf(body, views.current), name, isActive, resetUsage };
      const command = { type: 'ChangeApiKey' as const, keyId, changes };
      const { state } = await commands.handle(subjects.apiKey, keyId, command, ctx.state.cause);
      return current(state, keyId);
    })
    .delete('/:id', routes.remove, async (ctx) => {
      const keyId = readKeyId(ctx);
      requireOwnKey(ctx, keyId);
      const forgetsCallers = queryChoice(ctx, 'forget_callers', ['false', 'true']) === 'true';
      const { createdAt } = views.current.apiKeys.get(keyId) ?? {};
      if (forgetsCallers && createdAt !== undefined) requireNoHold(keyId, createdAt);
      // Before the event, which says that it was done; and after it, because requests until then made another data key.
      if (forgetsCallers) await vault.destroy(callersOfKey(keyId));
      await commands.handle(subjects.apiKey, keyId, { type: 'DeleteApiKey', keyId, forgetsCallers }, ctx.state.cause);
      if (forgetsCallers) await vault.destroy(callersOfKey(keyId));
      ctx.status = 204;
    })
    .post('/:id/regenerate', routes.regenerate, async (ctx) => {
      const keyId = readKeyId(ctx);
      requireOwnKey(ctx, keyId);
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
  regions?: string[] | null | undefined;
  expires_at?: ApiKeyChanges['expiresAt'];
  limits?: z.output<typeof LimitsInput> | null | undefined;
  weekly_token_limit?: number | null | undefined;
  owner?: string | null | undefined;
  team?: string | null | undefined;
}

/** @throws Refusal `invalid_api_key_payload` when there is no such team */
function changesOf(body: EditableFields, { teams }: Pick<HotState, 'teams'>) {
  const { allowed_models: allowedModels, regions, expires_at: expiresAt, owner } = body;
  const team = body.team as TeamId | null | undefined;
  if (team != null && !teams.has(team)) {
    refuse('invalid_api_key_payload', {
      param: 'team',
      problem: 'must be the id of a team, as GET /api/teams lists them',
    });
  }
  return { allowedModels, regions, expiresAt, limits: limitsOf(body), owner, team };
}

/** Null removes all limits; undefined leaves them unchanged. The deprecated `weekly_token_limit` yields to `limits`. */
function limitsOf({ limits, weekly_token_limit: weekly }: EditableFields): LimitRuleInput[] | undefined {
  if (limits !== undefined) return limitRulesInput(limits ?? []);
  if (weekly === undefined) return undefined;
  if (weekly === null) return [];
  return [{ limitType: 'total_tokens', limitWindow: 'weekly', maxValue: weekly, modelFilter: null }];
}

/** A key with its usage, without its value. @param open the requests that were announced and have not ended */
export function apiKeyEntry(key: ApiKey, view: View, open: OpenByHolder): z.infer<typeof ApiKeyEntry> {
  const counters = view.state.counters.get(key.id);
  return {
    id: key.id,
    name: key.name,
    key_prefix: key.prefix,
    allowed_models: key.allowedModels && [...key.allowedModels],
    regions: key.regions ? [...key.regions] : null,
    expires_at: key.expiresAt === null ? null : iso(key.expiresAt),
    is_active: key.isActive,
    created_at: iso(key.createdAt),
    last_used_at: counters?.lastUsedAt ? iso(counters.lastUsedAt) : null,
    limits: limitEntries(key.id, key.rules, view, open),
    owner: key.owner ?? null,
    team: key.team ?? null,
  };
}
