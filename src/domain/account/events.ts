import { type EventOf, event } from '../core/event.ts';
import { type Infer, schema } from '../core/schema.ts';
import { accountIdSchema, instantSchema, sealedSchema } from '../core/schemas.ts';

/** Provider tokens, sealed under the account's data key; `accessExpiresAt` is null when the token does not contain it. */
export const sealedCredentialsSchema = schema((z) =>
  z.object({
    access: sealedSchema(z),
    refresh: sealedSchema(z),
    idToken: sealedSchema(z),
    accessExpiresAt: instantSchema(z).nullable(),
    refreshedAt: instantSchema(z),
  }),
);
export type SealedCredentials = Infer<typeof sealedCredentialsSchema>;

const identitySchema = schema((z) =>
  z.object({
    /**
     * The provider's own id of the account, sent as `chatgpt-account-id`; null when the auth file has none. Sealed; in plain in
     * version 1.
     */
    upstreamAccountId: z.string().nullable(),
    email: sealedSchema(z).nullable(),
    displayName: sealedSchema(z).nullable(),
    planType: z.string(),
    /** Whether the id token could be read; shown as `auth.id_token.state`. */
    hasReadableIdToken: z.boolean(),
  }),
);

const imported = schema((z) =>
  identitySchema(z).extend({
    accountId: accountIdSchema(z),
    tokens: sealedCredentialsSchema(z),
    /** The link that imported the account and ends with this event; absent for an auth file. */
    linkId: z.uuid().optional(),
    /** The proxy for this account, sealed because its address may carry a password. */
    proxy: sealedSchema(z).optional(),
    /** Where the account's workspace requires its requests to be processed, as its access token says; absent: anywhere. */
    region: z.string().optional(),
  }),
);
export type ImportedAccount = Infer<typeof imported>;

export const AccountImported = event('AccountImported', {
  version: 2,
  data: imported,
  describe: ({ accountId, planType }) => `account ${accountId} (${planType}) was imported`,
  upcasters: [(data) => data],
});

export const AccountTokensReplaced = event('AccountTokensReplaced', {
  version: 2,
  data: imported,
  describe: ({ accountId }) => `the tokens of account ${accountId} were replaced`,
  upcasters: [(data) => data],
});

export const AccountPlanChanged = event('AccountPlanChanged', {
  version: 1,
  data: (z) => z.object({ accountId: accountIdSchema(z), from: z.string(), to: z.string() }),
  describe: ({ accountId, from, to }) => `the plan of account ${accountId} changed from ${from} to ${to}`,
});

/** What operators and the provider decide about an account; `availabilityOf` derives whether it can serve. */
export const accountStatusSchema = schema((z) => z.enum(['active', 'paused', 'deactivated']));
export type AccountStatus = Infer<typeof accountStatusSchema>;

const statusChange = schema((z) => z.object({ accountId: accountIdSchema(z), from: accountStatusSchema(z) }));

export const AccountPaused = event('AccountPaused', {
  version: 1,
  data: statusChange,
  describe: ({ accountId }) => `account ${accountId} was paused`,
});

export const AccountReactivated = event('AccountReactivated', {
  version: 1,
  data: statusChange,
  describe: ({ accountId, from }) => `account ${accountId} was reactivated (it was ${from})`,
});

export const AccountDeactivated = event('AccountDeactivated', {
  version: 1,
  data: (z) => statusChange(z).extend({ reason: z.string(), code: z.string() }),
  describe: ({ accountId, reason }) => `account ${accountId} was deactivated: ${reason}`,
});

export const AccountProxyChanged = event('AccountProxyChanged', {
  version: 1,
  data: (z) =>
    z.object({
      accountId: accountIdSchema(z),
      /** Host and port of the proxy before; null without one. */
      from: z.string().nullable(),
      /** Host and port of the proxy since; null: the proxy of the environment, if there is one. */
      to: z.string().nullable(),
      /** The address, sealed because it may carry a password; null without a proxy. */
      proxy: sealedSchema(z).nullable(),
    }),
  describe: ({ accountId, from, to }) =>
    to === null
      ? `account ${accountId} no longer has a proxy of its own (it was ${from})`
      : from === to
        ? `the address of the proxy ${to} of account ${accountId} changed`
        : `account ${accountId} uses the proxy ${to}${from === null ? '' : ` instead of ${from}`}`,
});

export const AccountDeleted = event('AccountDeleted', {
  version: 2,
  data: (z) =>
    z.object({
      accountId: accountIdSchema(z),
      /** The legal holds that keep its data key; absent when the key is destroyed at once. Absent in version 1. */
      heldBy: z.array(z.string()).optional(),
    }),
  describe: ({ accountId, heldBy = [] }) =>
    heldBy.length === 0
      ? `account ${accountId} was deleted`
      : `account ${accountId} was deleted; its data key is kept until legal hold ${heldBy.join(', ')} ends`,
  upcasters: [(data) => data],
});

export type AccountEvent =
  | EventOf<typeof AccountImported>
  | EventOf<typeof AccountTokensReplaced>
  | EventOf<typeof AccountPlanChanged>
  | EventOf<typeof AccountPaused>
  | EventOf<typeof AccountReactivated>
  | EventOf<typeof AccountDeactivated>
  | EventOf<typeof AccountProxyChanged>
  | EventOf<typeof AccountDeleted>;
