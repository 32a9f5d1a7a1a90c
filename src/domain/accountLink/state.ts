import type { AccountEvent } from '../account/events.ts';
import type { AccountId, Instant } from '../core/brands.ts';
import type { Recorded } from '../core/event.ts';
import type { AccountLinkEvent, LinkData } from './events.ts';

export type LinkOutcome = 'imported' | 'replaced' | 'skipped';

/** Where a link stands. `exchanging`: a code came, and what the provider gives for it is not in the log yet. */
export type LinkProgress =
  | { readonly kind: 'pending' }
  | { readonly kind: 'exchanging' }
  | { readonly kind: 'done'; readonly outcome: LinkOutcome; readonly accountId: AccountId }
  /** `accountId`: whom the operator signed in as, where that is what went wrong. */
  | { readonly kind: 'failed'; readonly code: string; readonly accountId: AccountId | null };

/** One attempt to bring an account in, or to sign it in anew, by signing in at the provider. */
export interface AccountLink {
  readonly id: string;
  /** One of these two says how the operator signs in; the other is null. */
  readonly browser: LinkData['browser'];
  readonly device: LinkData['device'];
  /** The account to be signed in anew; null to bring in whichever comes. */
  readonly target: AccountId | null;
  readonly onDuplicate: LinkData['onDuplicate'];
  readonly beganAt: Instant;
  readonly expiresAt: Instant;
  readonly node: string;
  readonly progress: LinkProgress;
}

/** `undefined`: never begun, or ended so long ago that the fold has let go of it. */
export type AccountLinkState = AccountLink | undefined;

export const initialState: AccountLinkState = undefined;

type ImportEvent = Extract<AccountEvent, { type: 'AccountImported' | 'AccountTokensReplaced' }>;

/**
 * The account's own event ends the link that brought it: both are one append, so that no crash comes between them.
 */
export function evolve(
  link: AccountLinkState,
  { type, data, time }: Recorded<AccountLinkEvent> | Recorded<ImportEvent>,
): AccountLinkState {
  switch (type) {
    case 'AccountLinkBegun': {
      const { linkId: id, accountId: target, ...rest } = data;
      return { id, target, ...rest, beganAt: time, progress: { kind: 'pending' } };
    }
    case 'AccountLinkCodeReceived':
      return link && { ...link, progress: { kind: 'exchanging' } };
    case 'AccountImported':
      return ended(link, { kind: 'done', outcome: 'imported', accountId: data.accountId });
    case 'AccountTokensReplaced':
      return ended(link, { kind: 'done', outcome: 'replaced', accountId: data.accountId });
    case 'AccountLinkSkipped':
      return ended(link, { kind: 'done', outcome: 'skipped', accountId: data.accountId });
    case 'AccountLinkFailed':
      return ended(link, { kind: 'failed', code: data.code, accountId: data.accountId });
    case 'AccountLinkCancelled':
      return ended(link, { kind: 'failed', code: 'cancelled', accountId: null });
    case 'AccountLinkExpired':
      return ended(link, { kind: 'failed', code: 'expired', accountId: null });
  }
}

const ended = (link: AccountLinkState, progress: LinkProgress): AccountLinkState => link && { ...link, progress };

/** Whether something may still come of it: a browser, a device's answer, or tokens for a code. */
export const isOpen = ({ progress }: AccountLink): boolean =>
  progress.kind === 'pending' || progress.kind === 'exchanging';

/** So many links that have ended stay in the fold: whoever began one asks how it ended within minutes. */
export const MAX_ENDED_LINKS = 16;

/** Lets go of what ended long ago; the order is that of their beginning. */
export function forgetOldLinks(links: Map<string, AccountLink>): void {
  const ended = [...links.values()].filter((link) => !isOpen(link));
  for (const { id } of ended.slice(0, Math.max(0, ended.length - MAX_ENDED_LINKS))) links.delete(id);
}
