import type { AccountEvent, SealedCredentials } from '../account/events.ts';
import type { Instant } from '../core/brands.ts';
import type { Recorded } from '../core/event.ts';
import type { AccountTokensEvent } from './events.ts';

export interface AccountCredentials {
  /** Undefined before the first import. */
  readonly tokens: SealedCredentials | undefined;
  /** The refresh in progress; void after `expiresAt`. */
  readonly claim: { readonly claimId: string; readonly expiresAt: Instant } | undefined;
}

export const initialState: AccountCredentials = { tokens: undefined, claim: undefined };

type CredentialsEvent = Extract<AccountEvent, { type: 'AccountImported' | 'AccountTokensReplaced' }>;

/** Folds events of the account's stream too, because imports bring tokens just as refreshes do. */
export function evolve(
  state: AccountCredentials,
  { type, data }: Recorded<AccountTokensEvent> | Recorded<CredentialsEvent>,
): AccountCredentials {
  switch (type) {
    case 'AccountImported':
    case 'AccountTokensReplaced':
      // A refresh of the previous tokens that is still in progress must not overwrite these.
      return { tokens: data.tokens, claim: undefined };
    case 'TokenRefreshClaimed':
      return { ...state, claim: { claimId: data.claimId, expiresAt: data.expiresAt } };
    case 'TokensRefreshed':
      return state.claim?.claimId === data.claimId ? { tokens: data.tokens, claim: undefined } : state;
    case 'TokenRefreshFailed':
      return state.claim?.claimId === data.claimId ? { ...state, claim: undefined } : state;
  }
}
