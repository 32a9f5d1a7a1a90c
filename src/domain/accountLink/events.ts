import { z } from 'zod';
import { type EventOf, event } from '../event.ts';
import { accountIdSchema, instantSchema, sealedSchema } from '../schemas.ts';

/**
 * What a sign-in by browser needs beyond what is derived from the id of its link (verifier, state), which is written
 * nowhere: where the provider sends the browser, since it must be told the same address again with the code.
 */
const browserSchema = z.object({ redirectUri: z.string() });

/** What the provider gave for a sign-in by device code, sealed under a data key of the link. */
const deviceSchema = z.object({ secrets: sealedSchema, intervalMs: z.int().min(1) });

export const onDuplicateSchema = z.enum(['refuse', 'skip', 'replace']);

/** Which way an authorization code took to us. */
export const codeWaySchema = z.enum(['callback', 'paste', 'device']);
export type CodeWay = z.infer<typeof codeWaySchema>;

const ofLink = z.object({ linkId: z.uuid() });

export const AccountLinkBegun = event('AccountLinkBegun', {
  version: 1,
  data: ofLink.extend({
    /** One of these two says how the operator signs in; the other is null. */
    browser: browserSchema.nullable(),
    device: deviceSchema.nullable(),
    /** The account to be signed in anew; null to bring in whichever comes. */
    accountId: accountIdSchema.nullable(),
    /** What becomes of an account that is known already. */
    onDuplicate: onDuplicateSchema,
    expiresAt: instantSchema,
    /** The node that waits for the provider's word. */
    node: z.string(),
  }),
  says: ({ device, accountId }) =>
    accountId === null
      ? `linking an account by ${device ? 'device code' : 'browser'} was begun`
      : `signing account ${accountId} in anew by ${device ? 'device code' : 'browser'} was begun`,
});

/**
 * Commits before the code is exchanged, because a code works once: a link that ends here was interrupted, and says so
 * after the next start instead of being lost without a word.
 */
export const AccountLinkCodeReceived = event('AccountLinkCodeReceived', {
  version: 1,
  data: ofLink.extend({ by: codeWaySchema }),
  says: ({ by }) => `the provider confirmed a sign-in (by ${by}); it is being completed`,
});

export const AccountLinkSkipped = event('AccountLinkSkipped', {
  version: 1,
  data: ofLink.extend({ accountId: accountIdSchema }),
  says: ({ accountId }) => `a sign-in brought nothing new: account ${accountId} was there already`,
});

export const AccountLinkFailed = event('AccountLinkFailed', {
  version: 1,
  data: ofLink.extend({
    code: z.string(),
    /** The account that somebody signed in to, where that is what went wrong. */
    accountId: accountIdSchema.nullable(),
  }),
  says: ({ code }) => `linking an account failed (${code})`,
});

export const AccountLinkCancelled = event('AccountLinkCancelled', {
  version: 1,
  data: ofLink,
  says: () => 'linking an account was cancelled',
});

export const AccountLinkExpired = event('AccountLinkExpired', {
  version: 1,
  data: ofLink,
  says: () => 'linking an account ended because nobody signed in in time',
});

export type BegunLink = EventOf<typeof AccountLinkBegun>['data'];

export type AccountLinkEvent =
  | EventOf<typeof AccountLinkBegun>
  | EventOf<typeof AccountLinkCodeReceived>
  | EventOf<typeof AccountLinkSkipped>
  | EventOf<typeof AccountLinkFailed>
  | EventOf<typeof AccountLinkCancelled>
  | EventOf<typeof AccountLinkExpired>;
