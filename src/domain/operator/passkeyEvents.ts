import { type EventOf, event } from '../core/event.ts';
import { schema } from '../core/schema.ts';
import { sealedSchema } from '../core/schemas.ts';

const passkey = schema((z) => z.object({ operatorId: z.string(), passkeyId: z.uuid() }));

/**
 * A WebAuthn credential was registered. What belongs to the person is sealed under the data key of the operator: without the
 * public key, it cannot sign in (docs/decisions/0086-passkeys.md).
 */
export const OperatorPasskeyAdded = event('OperatorPasskeyAdded', {
  version: 1,
  data: (z) =>
    passkey(z).extend({
      name: sealedSchema(z),
      /** Finds the passkey by the credential id that an authenticator sends: a keyed digest of it. */
      credentialDigest: z.string().regex(/^[0-9a-f]{64}$/),
      /** In base64url. */
      credentialId: sealedSchema(z),
      /** The COSE key in base64url. */
      publicKey: sealedSchema(z),
      /** Of signatures, at registration. Authenticators that do not count send 0. */
      counter: z.int().min(0),
      /** How browsers reach the authenticator, for example `internal` or `usb`. */
      transports: z.array(z.string()),
    }),
  describe: ({ operatorId }) => `a passkey of operator ${operatorId} was added`,
});

export const OperatorPasskeyRenamed = event('OperatorPasskeyRenamed', {
  version: 1,
  data: (z) => passkey(z).extend({ name: sealedSchema(z) }),
  describe: ({ operatorId }) => `a passkey of operator ${operatorId} was renamed`,
});

/** Sessions that began with it end. */
export const OperatorPasskeyRemoved = event('OperatorPasskeyRemoved', {
  version: 1,
  data: passkey,
  describe: ({ operatorId }) => `a passkey of operator ${operatorId} was removed; sessions begun with it ended`,
});

export type OperatorPasskeyEvent = EventOf<
  typeof OperatorPasskeyAdded | typeof OperatorPasskeyRenamed | typeof OperatorPasskeyRemoved
>;
