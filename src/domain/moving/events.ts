import { type EventOf, event } from '../core/event.ts';

/**
 * Accounts, keys and settings of another program begin to be taken over. It commits before the first of them, and all events
 * of the import have its correlation id.
 */
export const ImportBegun = event('ImportBegun', {
  version: 1,
  data: (z) =>
    z.object({
      importId: z.uuid(),
      /** The program that they come from. */
      program: z.string(),
      /** The revision of its database's schema. */
      schema: z.string(),
      /** What is taken over, if nothing fails. */
      accounts: z.int().min(0),
      apiKeys: z.int().min(0),
      allowedIps: z.int().min(0),
      settings: z.array(z.string()),
      requests: z.int().min(0),
    }),
  describe: ({ program, accounts, apiKeys, allowedIps, settings, requests }) =>
    `an import from ${program} began: accounts ${accounts}, API keys ${apiKeys}, allowed addresses ${allowedIps}, ` +
    `settings ${settings.length}, requests ${requests}`,
});

export type MovingEvent = EventOf<typeof ImportBegun>;
