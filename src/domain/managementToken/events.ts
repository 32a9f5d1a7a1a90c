import { type EventOf, event } from '../core/event.ts';
import { type Infer, schema } from '../core/schema.ts';
import { instantSchema } from '../core/schemas.ts';
import { roleSchema } from '../operator/role.ts';

/** What a token may do beyond its role. `irreversible`: what sessions must sign in again for. */
export const tokenScopeSchema = schema((z) => z.enum(['irreversible']));
export type TokenScope = Infer<typeof tokenScopeSchema>;

export const ManagementTokenCreated = event('ManagementTokenCreated', {
  version: 1,
  data: (z) =>
    z.object({
      tokenId: z.uuid(),
      name: z.string(),
      role: roleSchema(z),
      /** The operator whom it belongs to, and with whom it ends. */
      ownerId: z.string(),
      scopes: z.array(tokenScopeSchema(z)),
      /** SHA-256 of the token, in hex. */
      hash: z.string().regex(/^[0-9a-f]{64}$/),
      expiresAt: instantSchema(z).nullable(),
    }),
  describe: ({ name, role, ownerId }) => `management token "${name}" with the role ${role} was created for ${ownerId}`,
});

export const ManagementTokenRevoked = event('ManagementTokenRevoked', {
  version: 1,
  data: (z) => z.object({ tokenId: z.uuid(), name: z.string() }),
  describe: ({ name }) => `management token "${name}" was revoked`,
});

/** A token was used: at most one event per token and hour. */
export const ManagementTokenUsed = event('ManagementTokenUsed', {
  version: 1,
  data: (z) => z.object({ tokenId: z.uuid() }),
  describe: ({ tokenId }) => `management token ${tokenId} was used; further uses within the hour are not recorded`,
});

export type ManagementTokenEvent = EventOf<
  typeof ManagementTokenCreated | typeof ManagementTokenRevoked | typeof ManagementTokenUsed
>;
