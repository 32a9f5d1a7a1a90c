import { type EventOf, event } from '../core/event.ts';
import { type Infer, schema } from '../core/schema.ts';
import { accountIdSchema, instantSchema, sealedSchema } from '../core/schemas.ts';

/**
 * Data of a sign-in by browser that cannot be derived from the id of its link, as verifier and state are: the redirect URI,
 * which must be sent to the provider again with the code.
 */
const browserSchema = schema((z) => z.object({ redirectUri: z.string() }));

/** The provider's data for a sign-in by device code, sealed under a data key of the link. */
const deviceSchema = schema((z) => z.object({ secrets: sealedSchema(z), intervalMs: z.int().min(1) }));

/** What an import does with an account that svc already has. */
export const onDuplicateSchema = schema((z) => z.enum(['refuse', 'skip', 'replace']));

/** How an authorization code reached svc. */
export const codeSourceSchema = schema((z) => z.enum(['callback', 'paste', 'device']));
export type CodeSource = Infer<typeof codeSourceSchema>;

const ofLink = schema((z) => z.object({ linkId: z.uuid() }));

export const AccountLinkBegun = event('AccountLinkBegun', {
  version: 1,
  data: (z) =>
    ofLink(z).extend({
      /** How the operator signs in: one of the two is null. */
      browser: browserSchema(z).nullable(),
      device: deviceSchema(z).nullable(),
      /** The account to sign in again; null to import any account. */
      accountId: accountIdSchema(z).nullable(),
      /** What happens to an account that is already known. */
      onDuplicate: onDuplicateSchema(z),
      expiresAt: instantSchema(z),
      /** The node that waits for the provider. */
      node: z.string(),
    }),
  describe: ({ device, accountId }) =>
    accountId === null
      ? `linking an account by ${device ? 'device code' : 'browser'} was started`
      : `signing in account ${accountId} again by ${device ? 'device code' : 'browser'} was started`,
});

/**
 * Commits before the code is exchanged, because a code works once: a link that stops here was interrupted, and is ended with
 * that reason at the next start.
 */
export const AccountLinkCodeReceived = event('AccountLinkCodeReceived', {
  version: 1,
  data: (z) => ofLink(z).extend({ by: codeSourceSchema(z) }),
  describe: ({ by }) => `the provider confirmed a sign-in (by ${by}); its code is being exchanged`,
});

export const AccountLinkSkipped = event('AccountLinkSkipped', {
  version: 1,
  data: (z) => ofLink(z).extend({ accountId: accountIdSchema(z) }),
  describe: ({ accountId }) => `a sign-in changed nothing: account ${accountId} exists already`,
});

export const AccountLinkFailed = event('AccountLinkFailed', {
  version: 1,
  data: (z) =>
    ofLink(z).extend({
      code: z.string(),
      /** The account that was signed in to, if it is the wrong one. */
      accountId: accountIdSchema(z).nullable(),
    }),
  describe: ({ code }) => `linking an account failed (${code})`,
});

export const AccountLinkCancelled = event('AccountLinkCancelled', {
  version: 1,
  data: ofLink,
  describe: () => 'linking an account was cancelled',
});

export const AccountLinkExpired = event('AccountLinkExpired', {
  version: 1,
  data: ofLink,
  describe: () => 'linking an account expired',
});

export type LinkData = EventOf<typeof AccountLinkBegun>['data'];

export type AccountLinkEvent =
  | EventOf<typeof AccountLinkBegun>
  | EventOf<typeof AccountLinkCodeReceived>
  | EventOf<typeof AccountLinkSkipped>
  | EventOf<typeof AccountLinkFailed>
  | EventOf<typeof AccountLinkCancelled>
  | EventOf<typeof AccountLinkExpired>;
