import type { AccountEvent, SealedTokens } from '../account/events.ts';
import type { Instant } from '../core/brands.ts';
import type { Recorded } from '../core/event.ts';
import type { AccountTokensEvent } from './events.ts';

export interface AccountTokens {
  /** Undefined until an import brings tokens. */
  readonly tokens: SealedTokens | undefined;
  /** Who is refreshing right now, if anybody; worthless after `expiresAt`. */
  readonly claim: { readonly claimId: string; readonly expiresAt: Instant } | undefined;
}

export const initialState: AccountTokens = { tokens: undefined, claim: undefined };

type TokenBearing = Extract<AccountEvent, { type: 'AccountImported' | 'AccountTokensReplaced' }>;

/** Tokens come with an import as well as with a refresh, so this folds events of both streams. */
export function evolve(
  state: AccountTokens,
  { type, data }: Recorded<AccountTokensEvent> | Recorded<TokenBearing>,
): AccountTokens {
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
