import { z } from 'zod';
import { type EventOf, event } from '../event.ts';

export const routingStrategySchema = z.enum(['usage_weighted', 'round_robin']);

export const settingsSchema = z.object({
  stickyThreadsEnabled: z.boolean(),
  preferEarlierResetAccounts: z.boolean(),
  routingStrategy: routingStrategySchema,
  importWithoutOverwrite: z.boolean(),
  totpRequiredOnLogin: z.boolean(),
  apiKeyAuthEnabled: z.boolean(),
});
export type Settings = z.infer<typeof settingsSchema>;

const changed = settingsSchema.partial();

/** Only the fields that changed, before and after. */
export const SettingsChanged = event('SettingsChanged', {
  version: 1,
  data: z.object({ from: changed, to: changed }),
  says: ({ from, to }) =>
    Object.entries(to)
      .map(([name, value]) => `${name} changed from ${String(from[name as keyof Settings])} to ${String(value)}`)
      .join('; '),
});

export type SettingsEvent = EventOf<typeof SettingsChanged>;
