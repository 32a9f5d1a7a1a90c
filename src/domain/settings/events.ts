import { type EventOf, event } from '../core/event.ts';
import { type Infer, schema } from '../core/schema.ts';

/** How `select` chooses among the available accounts. */
export const routingStrategySchema = schema((z) => z.enum(['usage_weighted', 'round_robin']));

export const settingsSchema = schema((z) =>
  z.object({
    stickyThreadsEnabled: z.boolean(),
    preferEarlierResetAccounts: z.boolean(),
    routingStrategy: routingStrategySchema(z),
    importWithoutOverwrite: z.boolean(),
    totpRequiredOnLogin: z.boolean(),
    apiKeyAuthEnabled: z.boolean(),
  }),
);
export type Settings = Infer<typeof settingsSchema>;

const changed = schema((z) => settingsSchema(z).partial());

/** Only the fields that changed, before and after. */
export const SettingsChanged = event('SettingsChanged', {
  version: 1,
  data: (z) => z.object({ from: changed(z), to: changed(z) }),
  describe: ({ from, to }) =>
    Object.entries(to)
      .map(([name, value]) => `${name} changed from ${String(from[name as keyof Settings])} to ${String(value)}`)
      .join('; '),
});

export type SettingsEvent = EventOf<typeof SettingsChanged>;
