import { type EventOf, event } from '../core/event.ts';
import { schema } from '../core/schema.ts';
import { sealedSchema } from '../core/schemas.ts';

/** Passwords have ids: a session ends with the password that it was started with. */
const password = schema((z) =>
  z.object({
    passwordId: z.uuid(),
    /** The scrypt-kdf hash in base64; the password itself is never stored. */
    passwordHash: z.base64().length(128),
  }),
);

export const DashboardPasswordSet = event('DashboardPasswordSet', {
  version: 1,
  data: password,
  describe: () => 'the dashboard password was set; management now requires signing in',
});

export const DashboardPasswordChanged = event('DashboardPasswordChanged', {
  version: 1,
  data: password,
  describe: () => 'the dashboard password was changed; all earlier sessions ended',
});

export const DashboardPasswordRemoved = event('DashboardPasswordRemoved', {
  version: 1,
  data: (z) => z.object({ passwordId: z.uuid() }),
  describe: () =>
    'the dashboard password was removed; management is open to clients on this machine, and all sessions ended',
});

export const TotpConfigured = event('TotpConfigured', {
  version: 1,
  data: (z) =>
    z.object({
      totpId: z.uuid(),
      secret: sealedSchema(z),
      /** TOTP time step (30 s since 1970) of the code that confirmed it; codes up to this step are used up. */
      step: z.int().min(0),
    }),
  describe: () => 'TOTP was set up for the dashboard',
});

export const TotpDisabled = event('TotpDisabled', {
  version: 1,
  data: (z) => z.object({ totpId: z.uuid() }),
  describe: () => 'TOTP was disabled for the dashboard',
});

export type DashboardAuthEvent =
  | EventOf<typeof DashboardPasswordSet>
  | EventOf<typeof DashboardPasswordChanged>
  | EventOf<typeof DashboardPasswordRemoved>
  | EventOf<typeof TotpConfigured>
  | EventOf<typeof TotpDisabled>;
