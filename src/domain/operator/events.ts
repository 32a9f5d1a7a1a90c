import { type EventOf, event } from '../core/event.ts';
import { schema } from '../core/schema.ts';
import { instantSchema, sealedSchema } from '../core/schemas.ts';
import type { OperatorPasskeyEvent } from './passkeyEvents.ts';
import { roleSchema } from './role.ts';

export * from './passkeyEvents.ts';

const operator = schema((z) => z.object({ operatorId: z.string() }));
/** SHA-256 in hex of the secret part of a link. */
const invitation = schema((z) => ({ invitationHash: z.string().regex(/^[0-9a-f]{64}$/), expiresAt: instantSchema(z) }));
/** Sealed under the data key of the operator, which is destroyed when the person is forgotten. */
const profile = schema((z) => ({ name: sealedSchema(z), email: sealedSchema(z) }));

export const OperatorInvited = event('OperatorInvited', {
  version: 1,
  data: (z) => operator(z).extend({ ...profile(z), role: roleSchema(z), ...invitation(z) }),
  describe: ({ operatorId, role }) => `operator ${operatorId} was invited as ${role}`,
});

/** A new link for the same person; the one before is void. For a person who has accepted, it sets a new password. */
export const OperatorInvitationRenewed = event('OperatorInvitationRenewed', {
  version: 1,
  data: (z) => operator(z).extend(invitation(z)),
  describe: ({ operatorId }) => `operator ${operatorId} got a new invitation link`,
});

/** A person signed in at the OpenID provider for the first time, and has a role by a rule (docs/decisions/0088-oidc-sign-in.md). */
export const OperatorRegistered = event('OperatorRegistered', {
  version: 1,
  data: (z) => operator(z).extend({ ...profile(z), role: roleSchema(z) }),
  describe: ({ operatorId, role }) => `operator ${operatorId} was added as ${role} at the first sign-in by OIDC`,
});

export const OperatorInvitationAccepted = event('OperatorInvitationAccepted', {
  version: 1,
  data: (z) =>
    operator(z).extend({
      /** What they sign in with, for example `password` or `oidc`. */
      method: z.string(),
    }),
  describe: ({ operatorId }) => `operator ${operatorId} accepted the invitation`,
});

/** Sessions that began with an earlier password of the operator end. */
export const OperatorPasswordSet = event('OperatorPasswordSet', {
  version: 1,
  data: (z) =>
    operator(z).extend({
      passwordId: z.uuid(),
      /** The scrypt-kdf hash in base64. */
      passwordHash: z.base64().length(128),
    }),
  describe: ({ operatorId }) => `operator ${operatorId} set a password; earlier sessions ended`,
});

/** Who the OpenID provider says that they are. It replaces an earlier identity. */
export const OperatorIdentityLinked = event('OperatorIdentityLinked', {
  version: 1,
  data: (z) =>
    operator(z).extend({
      /** Issuer and subject as a JSON array, sealed under the data key of the operator. */
      identity: sealedSchema(z),
    }),
  describe: ({ operatorId }) => `operator ${operatorId} signs in by OIDC from now on`,
});

export const OperatorProfileChanged = event('OperatorProfileChanged', {
  version: 1,
  data: (z) => operator(z).extend(profile(z)),
  describe: ({ operatorId }) => `name or e-mail address of operator ${operatorId} was changed`,
});

export const OperatorRoleChanged = event('OperatorRoleChanged', {
  version: 2,
  data: (z) =>
    operator(z).extend({
      from: roleSchema(z),
      to: roleSchema(z),
      /** Present when a rule for what the OpenID provider claims gave the role, at a sign-in of the operator. */
      by: z.literal('claim').optional(),
    }),
  describe: ({ operatorId, from, to, by }) =>
    `the role of operator ${operatorId} changed from ${from} to ${to}${by === undefined ? '' : ' by a claim of the OpenID provider'}`,
  upcasters: [(data) => data],
});

export const OperatorDisabled = event('OperatorDisabled', {
  version: 1,
  data: operator,
  describe: ({ operatorId }) => `operator ${operatorId} was disabled; sessions ended and tokens are refused`,
});

export const OperatorEnabled = event('OperatorEnabled', {
  version: 1,
  data: operator,
  describe: ({ operatorId }) => `operator ${operatorId} was enabled`,
});

export const OperatorRemoved = event('OperatorRemoved', {
  version: 1,
  data: operator,
  describe: ({ operatorId }) => `operator ${operatorId} was removed with all sessions and tokens`,
});

/** After it, the data key of the operator is destroyed: events keep the id; name and addresses cannot be read any more. */
export const OperatorForgotten = event('OperatorForgotten', {
  version: 1,
  data: operator,
  describe: ({ operatorId }) => `operator ${operatorId} was forgotten: name and addresses can no longer be read`,
});

export const OperatorTotpConfigured = event('OperatorTotpConfigured', {
  version: 1,
  data: (z) =>
    operator(z).extend({
      totpId: z.uuid(),
      secret: sealedSchema(z),
      /** TOTP time step (30 s since 1970) of the code that confirmed it; codes up to this step are used up. */
      step: z.int().min(0),
    }),
  describe: ({ operatorId }) => `operator ${operatorId} set up TOTP`,
});

export const OperatorTotpDisabled = event('OperatorTotpDisabled', {
  version: 1,
  data: (z) => operator(z).extend({ totpId: z.uuid() }),
  describe: ({ operatorId }) => `TOTP of operator ${operatorId} was disabled, and the recovery codes with it`,
});

/** They replace all earlier ones. */
export const OperatorRecoveryCodesMade = event('OperatorRecoveryCodesMade', {
  version: 1,
  data: (z) =>
    operator(z).extend({
      /** Keyed digests of the codes, in hex. */
      codes: z.array(z.string().regex(/^[0-9a-f]{64}$/)).max(20),
    }),
  describe: ({ operatorId, codes }) => `operator ${operatorId} got ${codes.length} new recovery codes`,
});

export const OperatorRecoveryCodeUsed = event('OperatorRecoveryCodeUsed', {
  version: 1,
  data: (z) => operator(z).extend({ code: z.string().regex(/^[0-9a-f]{64}$/) }),
  describe: ({ operatorId }) => `operator ${operatorId} signed in with a recovery code instead of TOTP`,
});

export type OperatorEvent =
  | EventOf<typeof OperatorInvited>
  | EventOf<typeof OperatorInvitationRenewed>
  | EventOf<typeof OperatorRegistered>
  | EventOf<typeof OperatorInvitationAccepted>
  | EventOf<typeof OperatorPasswordSet>
  | EventOf<typeof OperatorIdentityLinked>
  | EventOf<typeof OperatorProfileChanged>
  | EventOf<typeof OperatorRoleChanged>
  | EventOf<typeof OperatorDisabled>
  | EventOf<typeof OperatorEnabled>
  | EventOf<typeof OperatorRemoved>
  | EventOf<typeof OperatorForgotten>
  | EventOf<typeof OperatorTotpConfigured>
  | EventOf<typeof OperatorTotpDisabled>
  | EventOf<typeof OperatorRecoveryCodesMade>
  | EventOf<typeof OperatorRecoveryCodeUsed>
  | OperatorPasskeyEvent;
