import { sealedCredentialsSchema } from '../account/events.ts';
import { type EventOf, event } from '../core/event.ts';
import { accountIdSchema, instantSchema } from '../core/schemas.ts';

/** Commits before the provider is called, so that two nodes never use the same single-use refresh token. */
export const TokenRefreshClaimed = event('TokenRefreshClaimed', {
  version: 1,
  data: (z) => z.object({ accountId: accountIdSchema(z), claimId: z.uuid(), expiresAt: instantSchema(z) }),
  describe: ({ accountId }) => `a token refresh of account ${accountId} was started`,
});

export const TokensRefreshed = event('TokensRefreshed', {
  version: 2,
  data: (z) =>
    z.object({
      accountId: accountIdSchema(z),
      claimId: z.uuid(),
      tokens: sealedCredentialsSchema(z),
      /** As in `AccountImported`; null: anywhere. Absent in version 1, which changes nothing. */
      region: z.string().nullable().optional(),
    }),
  describe: ({ accountId }) => `the tokens of account ${accountId} were refreshed`,
  upcasters: [(data) => data],
});

export const TokenRefreshFailed = event('TokenRefreshFailed', {
  version: 1,
  data: (z) =>
    z.object({ accountId: accountIdSchema(z), claimId: z.uuid(), code: z.string(), isPermanent: z.boolean() }),
  describe: ({ accountId, code, isPermanent }) =>
    `the tokens of account ${accountId} could not be refreshed (${code}${isPermanent ? ', permanently' : ''})`,
});

export type AccountTokensEvent =
  | EventOf<typeof TokenRefreshClaimed>
  | EventOf<typeof TokensRefreshed>
  | EventOf<typeof TokenRefreshFailed>;
