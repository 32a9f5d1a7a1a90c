import { type EventOf, event } from '../core/event.ts';
import { accountIdSchema, apiKeyIdSchema, instantSchema, microDollarsSchema } from '../core/schemas.ts';
import { tokenUsageSchema } from '../request/events.ts';

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

/**
 * A request that another program served and logged, as that log has it. svc decided nothing about it: it has no admission, no
 * attempts and no choice of an account, no limit counts it, and the price is that of the other program.
 */
export const RequestImported = event('RequestImported', {
  version: 1,
  data: (z) =>
    z.object({
      importId: z.uuid(),
      /** The program whose log it is from. */
      program: z.string().min(1),
      /** The id there in lower case, the program and the row of its log: `resp_1:codex-lb:17`. The same row has it in every import. */
      requestId: z.string().min(1),
      keyId: apiKeyIdSchema(z).nullable(),
      accountId: accountIdSchema(z).nullable(),
      model: z.string(),
      effort: z.string().nullable(),
      requestedAt: instantSchema(z),
      /** How the client spoke to the other program, if its log says so. */
      transport: z.string().optional(),
      /** The program that sent the request, as it named itself. */
      client: z.string().optional(),
      /** `200` or `error`. */
      status: z.string(),
      errorCode: z.string().nullable(),
      errorMessage: z.string().nullable(),
      latencyMs: z.int().min(0),
      firstByteMs: z.int().min(0).nullable(),
      usage: tokenUsageSchema(z).nullable(),
      costMicroDollars: microDollarsSchema(z).nullable(),
    }),
  describe: ({ requestId, program, model, status }) =>
    `request ${requestId} for ${model} was imported from ${program}, where it ended with ${status}`,
});
export type ImportedRequest = EventOf<typeof RequestImported>['data'];

/** The transport that the request log shows of a request that did not come to svc. */
export const importedTransport = (program: string): string => `import:${program}`;

/** The program that a transport of the request log names; undefined for a request that came to svc. */
export const programOfTransport = (transport: string): string | undefined =>
  transport.startsWith('import:') ? transport.slice('import:'.length) : undefined;

/** Why such a request cannot be explained or repeated. */
export const describeImported = (requestId: string, program: string): string =>
  `Request ${requestId} was imported from ${program}, which decided it: svc has what its log said, not the attempts, limits and accounts behind it.`;

export type MovingEvent = EventOf<typeof ImportBegun | typeof RequestImported>;
