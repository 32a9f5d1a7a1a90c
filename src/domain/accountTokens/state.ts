import type { AccountEvent, SealedCredentials } from '../account/events.ts';
import type { Instant } from '../core/brands.ts';
import type { Recorded } from '../core/event.ts';
import type { AccountTokensEvent } from './events.ts';

export interface AccountCredentials {
  /** Undefined until an import brings tokens. */
  readonly tokens: SealedCredentials | undefined;
  /** Who is refreshing right now, if anybody; worthless after `expiresAt`. */
  readonly claim: { readonly claimId: string; readonly expiresAt: Instant } | undefined;
}

export const initialState: AccountCredentials = { tokens: undefined, claim: undefined };

type CredentialsEvent = Extract<AccountEvent, { type: 'AccountImported' | 'AccountTokensReplaced' }>;

/** Tokens come with an import as well as with a refresh, so this folds events of both streams. */
export function evolve(
  state: AccountCredentials,
  { type, data }: Recorded<AccountTokensEvent> | Recorded<CredentialsEvent>,
): AccountCredentials {
  switch (type) {
    case 'AccountImported':
    case 'AccountTokensReplaced':
      // Whoever still refreshes the tokens before these must not put them back.
      return { tokens: data.tokens, claim: undefined };
    case 'TokenRefreshClaimed':
      return { ...state, claim: { claimId: data.claimId, expiresAt: data.expiresAt } };
    case 'TokensRefreshed':
      return state.claim?.claimId === data.claimId ? { tokens: data.tokens, claim: undefined } : state;
    case 'TokenRefreshFailed':
      return state.claim?.claimId === data.claimId ? { ...state, claim: undefined } : state;
  }
}
