import { type EventOf, event } from '../core/event.ts';
import { type Infer, schema } from '../core/schema.ts';
import { accountIdSchema, instantSchema, sealedSchema } from '../core/schemas.ts';

/**
 * What a sign-in by browser needs beyond what is derived from the id of its link (verifier, state), which is written
 * nowhere: where the provider sends the browser, since it must be told the same address again with the code.
 */
const browserSchema = schema((z) => z.object({ redirectUri: z.string() }));

/** What the provider gave for a sign-in by device code, sealed under a data key of the link. */
const deviceSchema = schema((z) => z.object({ secrets: sealedSchema(z), intervalMs: z.int().min(1) }));

export const onDuplicateSchema = schema((z) => z.enum(['refuse', 'skip', 'replace']));

/** Which way an authorization code took to us. */
export const codeWaySchema = schema((z) => z.enum(['callback', 'paste', 'device']));
export type CodeWay = Infer<typeof codeWaySchema>;

const ofLink = schema((z) => z.object({ linkId: z.uuid() }));

export const AccountLinkBegun = event('AccountLinkBegun', {
  version: 1,
  data: (z) =>
    ofLink(z).extend({
      /** One of these two says how the operator signs in; the other is null. */
      browser: browserSchema(z).nullable(),
      device: deviceSchema(z).nullable(),
      /** The account to be signed in anew; null to bring in whichever comes. */
      accountId: accountIdSchema(z).nullable(),
      /** What becomes of an account that is known already. */
      onDuplicate: onDuplicateSchema(z),
      expiresAt: instantSchema(z),
      /** The node that waits for the provider's word. */
      node: z.string(),
    }),
  describe: ({ device, accountId }) =>
    accountId === null
      ? `linking an account by ${device ? 'device code' : 'browser'} was started`
      : `signing in account ${accountId} again by ${device ? 'device code' : 'browser'} was started`,
});

/**
 * Commits before the code is exchanged, because a code works once: a link that ends here was interrupted, and says so
 * after the next start instead of being lost without a word.
 */
export const AccountLinkCodeReceived = event('AccountLinkCodeReceived', {
  version: 1,
  data: (z) => ofLink(z).extend({ by: codeWaySchema(z) }),
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
      /** The account that somebody signed in to, where that is what went wrong. */
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
