import { type EventOf, event } from '../core/event.ts';
import { type Infer, schema } from '../core/schema.ts';
import { instantSchema, sealedSchema } from '../core/schemas.ts';

/** No svc wrote the operator before version 3: it had none, and such a session was never valid. */
function withoutOperator(data: unknown): unknown {
  const { operatorId: _id, method: _method, ...rest } = data as Record<string, unknown>;
  return rest;
}

export const SessionBegun = event('SessionBegun', {
  version: 5,
  data: (z) =>
    z.object({
      sessionId: z.uuid(),
      /** The password that was entered: the session ends with it. Null after a sign-in without one. */
      passwordId: z.uuid().nullable(),
      /** The TOTP that the replaced session had verified, if any. */
      totpId: z.uuid().nullable(),
      /** The session that this one replaces. */
      replaces: z.uuid().nullable(),
      expiresAt: instantSchema(z),
      /** Who signed in; absent for the built-in administrator. */
      operatorId: z.string().optional(),
      /** How, for example `password` or `oidc`; absent for the password. */
      method: z.string().optional(),
      /** The client, sealed under the data key of who signed in; absent before version 3. */
      address: sealedSchema(z).optional(),
      userAgent: sealedSchema(z).nullable().optional(),
      /** The passkey that was used: the session ends with it. */
      passkeyId: z.uuid().optional(),
      /** When they proved who they are to the OpenID provider, if it says so and that was earlier than this event. */
      authenticatedAt: instantSchema(z).optional(),
    }),
  describe: ({ replaces }) => (replaces === null ? 'new dashboard session' : 'new dashboard session, signed in again'),
  upcasters: [(data) => data, withoutOperator, (data) => data, (data) => data],
});

/** The session continues under a new id, so that copies of its previous cookie are void. */
export const SessionTotpVerified = event('SessionTotpVerified', {
  version: 1,
  data: (z) =>
    z.object({
      sessionId: z.uuid(),
      replaces: z.uuid(),
      totpId: z.uuid(),
      /** TOTP time step (30 s since 1970) of the code. */
      step: z.int().min(0),
    }),
  describe: () => 'a dashboard session was verified with TOTP',
});
export type SessionTotpVerifiedEvent = EventOf<typeof SessionTotpVerified>;

export const SessionEnded = event('SessionEnded', {
  version: 1,
  data: (z) => z.object({ sessionId: z.uuid() }),
  describe: () => 'a dashboard session was signed out',
});

/** The person proved again who they are, for what cannot be undone. */
export const SessionReauthenticated = event('SessionReauthenticated', {
  version: 2,
  data: (z) =>
    z.object({
      sessionId: z.uuid(),
      /** The code that was part of the proof, with its time step; absent in version 1. */
      totp: z.object({ id: z.uuid(), step: z.int().min(0) }).optional(),
    }),
  describe: () => 'a dashboard session was authenticated again',
  upcasters: [(data) => data],
});
export type SessionReauthenticatedEvent = EventOf<typeof SessionReauthenticated>;

/** What a client proved, or failed to prove, in a sign-in. */
export const signInMethodSchema = schema((z) =>
  z.enum(['password', 'totp', 'setup_token', 'recovery_code', 'invitation', 'token', 'passkey', 'oidc']),
);
export type SignInMethod = Infer<typeof signInMethodSchema>;

export const SignInFailed = event('SignInFailed', {
  version: 3,
  data: (z) => z.object({ method: signInMethodSchema(z), address: z.string() }),
  describe: ({ method, address }) => `a sign-in with ${method} from ${address} failed`,
  upcasters: [(data) => data, (data) => data],
});

/** A sign-in in the name of an operator. The actor has the address, sealed under their data key. */
export const OperatorSignInFailed = event('OperatorSignInFailed', {
  version: 2,
  data: (z) => z.object({ operatorId: z.string(), method: signInMethodSchema(z) }),
  describe: ({ operatorId, method }) => `a sign-in of operator ${operatorId} with ${method} failed`,
  upcasters: [(data) => data],
});

/** A role does not allow what was tried. The first one of a minute is recorded at once, and the further ones as one count. */
export const ActionDenied = event('ActionDenied', {
  version: 1,
  data: (z) =>
    z.object({
      operatorId: z.string(),
      /** The route, for example `DELETE /api/accounts/:id`. */
      action: z.string(),
      /** Null for a single one. */
      minute: instantSchema(z).nullable(),
      count: z.int().min(1),
    }),
  describe: ({ operatorId, action, minute, count }) =>
    minute === null
      ? `${action} was denied to ${operatorId}`
      : `${action} was denied to ${operatorId} ${count} more times within one minute`,
});

/** Throttled attempts, which are not checked, counted per address and minute. */
export const SignInsThrottled = event('SignInsThrottled', {
  version: 1,
  data: (z) => z.object({ address: z.string(), minute: instantSchema(z), count: z.int().min(1) }),
  describe: ({ address, count }) => `${count} more sign-in attempts from ${address} were refused within one minute`,
});

export type SessionEvent =
  | EventOf<typeof SessionBegun>
  | SessionTotpVerifiedEvent
  | SessionReauthenticatedEvent
  | EventOf<typeof SessionEnded>;
