import { z } from 'zod';
import { BUILT_IN_ADMINISTRATOR } from '../../domain/core/builtInAdministrator.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { credentialsOf } from '../../domain/operator/credentials.ts';
import { lowestRole } from '../../domain/operator/grants.ts';
import { roleSchema } from '../../domain/operator/role.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { EVERYONE } from '../http/roles.ts';
import { BUILT_IN_NAME } from '../people/directory.ts';
import { roleOf } from '../people/principal.ts';

const Profile = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    email: z.string().nullable().describe('null for the built-in administrator'),
    role: roleSchema(z).describe('What this request may do: for a token the lower of its role and that of its owner'),
    token_id: z.string().nullable().describe('The management token of this request'),
    is_built_in: z.boolean(),
    has_password: z.boolean(),
    is_totp_configured: z.boolean(),
    recovery_codes_left: z.int(),
  })
  .meta({ id: 'Profile' });

const routes = {
  get: describeRoute({
    roles: EVERYONE,
    at: 'past',
    summary: 'Get who makes this request, and how they sign in',
    response: Profile,
  }),
};

/** What everyone may know of themselves. `auth/` has the routes that change it. */
export const profileRoutes = ({ views, directory }: Capabilities) =>
  newRouter('/api/profile')
    .get('/', routes.get, async (ctx) => {
      const { operatorId: id, roles, tokenId } = ctx.state.principal ?? refuse('authentication_required');
      const { state } = await views.asOf(ctx);
      const operator = state.operators.byId.get(id);
      const token = tokenId === undefined ? undefined : state.managementTokens.get(tokenId);
      const [own = roles[0], ...lower] = [roleOf(id, state.operators), token?.role].filter(
        (each) => each !== undefined,
      );
      const isBuiltIn = id === BUILT_IN_ADMINISTRATOR;
      const auth = credentialsOf(id, state);
      return {
        id,
        name: isBuiltIn ? BUILT_IN_NAME : directory.open(operator?.name ?? null),
        email: directory.open(operator?.email ?? null),
        role: lowestRole([own, ...lower]),
        token_id: tokenId ?? null,
        is_built_in: isBuiltIn,
        has_password: (auth?.password ?? null) !== null,
        is_totp_configured: (auth?.totp ?? null) !== null,
        recovery_codes_left: operator?.recoveryCodes.unused ?? 0,
      };
    })
    .routes();
