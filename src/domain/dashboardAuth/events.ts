import { type EventOf, event } from '../core/event.ts';
import { schema } from '../core/schema.ts';
import { sealedSchema } from '../core/schemas.ts';

/** A password by a name of its own: sessions belong to the one that began them, and end with it. */
const password = schema((z) =>
  z.object({
    passwordId: z.uuid(),
    /** What scrypt-kdf made of it, in base64; the password itself is nowhere. */
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
      /** Number of the 30 s since 1970 whose code confirmed it: that code is used up. */
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
