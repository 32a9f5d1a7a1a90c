import { type EventOf, event } from '../core/event.ts';
import { type Infer, schema } from '../core/schema.ts';
import { instantSchema } from '../core/schemas.ts';

export const SessionBegun = event('SessionBegun', {
  version: 2,
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
    }),
  describe: ({ replaces }) => (replaces === null ? 'new dashboard session' : 'new dashboard session, signed in again'),
  upcasters: [(data) => data],
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

/** What a client proved, or failed to prove, in a sign-in. */
export const signInMethodSchema = schema((z) => z.enum(['password', 'totp', 'setup_token']));
export type SignInMethod = Infer<typeof signInMethodSchema>;

export const SignInFailed = event('SignInFailed', {
  version: 1,
  data: (z) => z.object({ method: signInMethodSchema(z), address: z.string() }),
  describe: ({ method, address }) => `a sign-in with ${method} from ${address} failed`,
});

/** Throttled attempts, which are not checked, counted per address and minute. */
export const SignInsThrottled = event('SignInsThrottled', {
  version: 1,
  data: (z) => z.object({ address: z.string(), minute: instantSchema(z), count: z.int().min(1) }),
  describe: ({ address, count }) => `${count} more sign-in attempts from ${address} were refused within one minute`,
});

export type SessionEvent = EventOf<typeof SessionBegun> | SessionTotpVerifiedEvent | EventOf<typeof SessionEnded>;
