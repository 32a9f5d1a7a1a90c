import type { AccountEvent } from '../account/events.ts';
import type { AccountId, Instant } from '../core/brands.ts';
import type { Recorded } from '../core/event.ts';
import type { AccountLinkEvent, LinkData } from './events.ts';

export type LinkOutcome = 'imported' | 'replaced' | 'skipped';

/** Progress of a link. `exchanging`: a code was received, and the account is not in the log yet. */
export type LinkProgress =
  | { readonly kind: 'pending' }
  | { readonly kind: 'exchanging' }
  | { readonly kind: 'done'; readonly outcome: LinkOutcome; readonly accountId: AccountId }
  /** `accountId`: the account that was signed in to, if it is the wrong one. */
  | { readonly kind: 'failed'; readonly code: string; readonly accountId: AccountId | null };

/** One attempt to import an account, or to sign it in again, by signing in at the provider. */
export interface AccountLink {
  readonly id: string;
  /** How the operator signs in: one of the two is null. */
  readonly browser: LinkData['browser'];
  readonly device: LinkData['device'];
  /** The account to sign in again; null to import any account. */
  readonly target: AccountId | null;
  readonly onDuplicate: LinkData['onDuplicate'];
  readonly beganAt: Instant;
  readonly expiresAt: Instant;
  readonly node: string;
  readonly progress: LinkProgress;
}

/** `undefined`: never started, or ended and removed by `forgetOldLinks`. */
export type AccountLinkState = AccountLink | undefined;

export const initialState: AccountLinkState = undefined;

type ImportEvent = Extract<AccountEvent, { type: 'AccountImported' | 'AccountTokensReplaced' }>;

/**
 * The event that imports the account also ends its link: one append, so that no crash can come in between.
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

/** Whether the link may still succeed. */
export const isOpen = ({ progress }: AccountLink): boolean =>
  progress.kind === 'pending' || progress.kind === 'exchanging';

/** Ended links that are kept: the client that started one asks for its outcome within minutes. */
export const MAX_ENDED_LINKS = 16;

/** Removes all but the latest ended links. @param links in the order in which they were started */
export function forgetOldLinks(links: Map<string, AccountLink>): void {
  const ended = [...links.values()].filter((link) => !isOpen(link));
  for (const { id } of ended.slice(0, Math.max(0, ended.length - MAX_ENDED_LINKS))) links.delete(id);
}
