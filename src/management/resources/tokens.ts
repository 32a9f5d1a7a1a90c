import { z } from 'zod';
import { type Instant, iso } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { MAX_TOKEN_NAME_LENGTH } from '../../domain/managementToken/decide.ts';
import { tokenScopeSchema } from '../../domain/managementToken/events.ts';
import { isTokenValid, type ManagementToken } from '../../domain/managementToken/state.ts';
import { roleSchema } from '../../domain/operator/role.ts';
import { subjects } from '../../state/fold/subjects.ts';
import { readBody, wireObject } from '../http/body.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { forgotten } from '../http/forgotten.ts';
import { parseTime } from '../http/isoTime.ts';
import { EVERYONE } from '../http/roles.ts';
import type { View } from '../http/views.ts';
import type { Directory } from '../people/directory.ts';
import { type Principal, roleOf } from '../people/principal.ts';
import { hashOf, newToken } from '../people/secrets.ts';

const CreateToken = wireObject({
  name: z.string().max(MAX_TOKEN_NAME_LENGTH),
  role: roleSchema(z).describe('Not above the own one. The token acts with this role and that of its owner'),
  expires_at: z.string().nullish().describe('ISO 8601; null: it does not expire'),
  scopes: z
    .array(tokenScopeSchema(z))
    .max(10)
    .nullish()
    .describe(
      '`irreversible`: for what sessions must sign in again for. By default only tokens of administrators have it',
    ),
});

const TokenEntry = z.object({
  id: z.string(),
  name: z.string(),
  role: roleSchema(z),
  scopes: z.array(tokenScopeSchema(z)),
  owner: z.object({
    id: z.string(),
    name: z.string().nullable(),
    role: roleSchema(z).nullable().describe('null for one who can no longer act: the token is refused'),
    forgotten,
  }),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime().nullable(),
  revoked_at: z.iso.datetime().nullable(),
  last_used_at: z.iso.datetime().nullable().describe('To the hour'),
  is_valid: z.boolean(),
});
const Entry = TokenEntry.meta({ id: 'ManagementToken' });
const WithValue = TokenEntry.extend({
  token: z
    .string()
    .regex(/^mt-svc-[0-9a-f]{48}$/)
    .optional()
    .describe(
      'For the header Authorization: Bearer. Returned only once; absent when the request repeats an Idempotency-Key',
    ),
}).meta({ id: 'ManagementTokenWithValue' });

const routes = {
  list: describeRoute({
    roles: EVERYONE,
    at: 'past',
    summary: 'List management tokens: the own ones, and to administrators and auditors all',
    response: z.object({ tokens: z.array(Entry) }),
  }),
  get: describeRoute({
    roles: EVERYONE,
    at: 'past',
    summary: 'Get a management token',
    response: Entry,
    errors: ['token_not_found'],
  }),
  create: describeRoute({
    roles: EVERYONE,
    isIrreversible: true,
    summary: 'Create a management token of your own; the response contains its value once',
    body: CreateToken,
    response: WithValue,
    errors: ['invalid_token'],
  }),
  revoke: describeRoute({
    roles: EVERYONE,
    summary: 'Revoke a management token: an own one, and as an administrator any',
    response: z.object({ status: z.literal('revoked') }),
    errors: ['token_not_found'],
  }),
};

/** Tokens with which scripts manage the service. `auth/tokenAuthentication.ts` authenticates them. */
export const tokenRoutes = ({ views, commands, directory, ids }: Capabilities) => {
  const entry = (token: ManagementToken, view: View) => tokenEntry(token, view, directory);

  return newRouter('/api/tokens')
    .get('/', routes.list, async (ctx) => {
      const view = await views.asOf(ctx);
      const tokens = [...view.state.managementTokens.values()].filter((token) => maySee(ctx.state.principal, token));
      return { tokens: tokens.map((token) => entry(token, view)) };
    })
    .get('/:id', routes.get, async (ctx) => {
      const view = await views.asOf(ctx);
      const token = view.state.managementTokens.get(ctx.params.id ?? '');
      return token && maySee(ctx.state.principal, token) ? entry(token, view) : refuse('token_not_found');
    })
    .post('/', routes.create, async (ctx) => {
      const { name, role, expires_at, scopes } = await readBody(ctx, CreateToken, 'invalid_token');
      const { principal, cause } = ctx.state;
      if (!principal) return refuse('authentication_required');
      const value = newToken();
      const tokenId = cause.write?.resourceId ?? ids.newId();
      const byScopes = principal.tokenId && views.current.managementTokens.get(principal.tokenId)?.scopes;
      const isDefault = role === 'administrator' && (!byScopes || byScopes.includes('irreversible'));
      const { state, isRepeat } = await commands.handle(
        subjects.managementToken,
        'main',
        {
          ...{ type: 'CreateToken', tokenId, name, role, by: principal.roles, byTokenId: principal.tokenId },
          ownerId: principal.operatorId,
          scopes: [...new Set(scopes ?? (isDefault ? (['irreversible'] as const) : []))],
          hash: hashOf(value),
          expiresAt: readExpiry(expires_at),
        },
        cause,
      );
      const token = state.get(tokenId) ?? refuse('token_not_found');
      const shown = entry(token, views.currentView());
      return isRepeat ? shown : { ...shown, token: value };
    })
    .delete('/:id', routes.revoke, async (ctx) => {
      const tokenId = ctx.params.id ?? '';
      const token = views.current.managementTokens.get(tokenId);
      if (!token || !mayRevoke(ctx.state.principal, token)) return refuse('token_not_found');
      await commands.handle(subjects.managementToken, 'main', { type: 'RevokeToken', tokenId }, ctx.state.cause);
      return { status: 'revoked' };
    })
    .routes();
};

const isOwn = (principal: Principal | undefined, { ownerId }: ManagementToken): boolean =>
  ownerId === principal?.operatorId;
const isLowest = (principal: Principal | undefined, ...roles: readonly Principal['role'][]): boolean =>
  principal?.roles.every((role) => roles.includes(role)) ?? false;
const maySee = (principal: Principal | undefined, token: ManagementToken): boolean =>
  isOwn(principal, token) || isLowest(principal, 'administrator', 'auditor');
const mayRevoke = (principal: Principal | undefined, token: ManagementToken): boolean =>
  isOwn(principal, token) || isLowest(principal, 'administrator');

/** @throws Refusal `invalid_token` */
function readExpiry(text: string | null | undefined): Instant | null {
  if (text === null || text === undefined) return null;
  return parseTime(text) ?? refuse('invalid_token', { param: 'expires_at', problem: 'must be an ISO 8601 time' });
}

/** A token as the API shows it, with its owner as of the view. */
export function tokenEntry(
  token: ManagementToken,
  { state, now }: Pick<View, 'state' | 'now'>,
  directory: Directory,
): z.infer<typeof Entry> {
  const { id, name, role, scopes, ownerId, createdAt, expiresAt, revokedAt, lastUsedAt } = token;
  const ownerRole = roleOf(ownerId, state.operators) ?? null;
  const owner = directory.sealedFields();
  return {
    ...{ id, name, role, scopes: [...scopes] },
    owner: {
      id: ownerId,
      name: directory.asOf(state).nameOf(ownerId, owner),
      role: ownerRole,
      ...owner.forgotten(),
    },
    created_at: iso(createdAt),
    expires_at: expiresAt && iso(expiresAt),
    revoked_at: revokedAt && iso(revokedAt),
    last_used_at: lastUsedAt && iso(lastUsedAt),
    is_valid: isTokenValid(token, now) && ownerRole !== null,
  };
}
