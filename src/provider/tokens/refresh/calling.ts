import type { SealedTokens } from '../../../domain/account/events.ts';
import { expiryOf } from '../../client/jwt.ts';
import type { TokenAnswer } from '../../client/tokenResponse.ts';
import type { AccessTokensOptions } from '../accessTokens.ts';

/** What the provider gave for a refresh token, in the form in which it is kept. */
export type Renewal =
  | { readonly kind: 'renewed'; readonly tokens: SealedTokens; readonly idToken: string | null }
  | Exclude<TokenAnswer, { kind: 'tokens' }>
  /** The account's data key was destroyed while the provider answered. */
  | { readonly kind: 'pointless' };

/** Spends a refresh token under a claim. Never rejects. */
export type Calling = (tokens: SealedTokens) => Promise<Renewal>;

export const createCalling =
  ({ vault, tokenEndpoint, now }: Pick<AccessTokensOptions, 'vault' | 'tokenEndpoint' | 'now'>): Calling =>
  async (before) => {
    let refreshToken: string;
    try {
      refreshToken = vault.open(before.refresh);
    } catch {
      return { kind: 'transient', code: 'unreadable_tokens' };
    }
    const answer = await tokenEndpoint.refresh(refreshToken);
    if (answer.kind !== 'tokens') return answer;
    const { access, refresh, idToken } = answer;
    try {
      // Under the data key that the account has.
      const keyId = vault.keyIdOf(before.refresh);
      const tokens = {
        access: vault.seal(keyId, access),
        refresh: refresh === null ? before.refresh : vault.seal(keyId, refresh),
        idToken: idToken === null ? before.idToken : vault.seal(keyId, idToken),
        accessExpiresAt: expiryOf(access),
        refreshedAt: now(),
      };
      return { kind: 'renewed', tokens, idToken };
    } catch {
      return { kind: 'pointless' };
    }
  };
