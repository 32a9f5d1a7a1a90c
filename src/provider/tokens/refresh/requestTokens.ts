import type { SealedCredentials } from '../../../domain/account/events.ts';
import type { AccountId } from '../../../domain/core/brands.ts';
import { expiryOf, residencyOf } from '../../client/jwt.ts';
import type { TokenResponse } from '../../client/tokenResponse.ts';
import type { TokenRefreshOptions } from './tokenRefreshOptions.ts';

/** The provider's response to a refresh token, new tokens sealed. */
export type TokenRequestResult =
  | {
      readonly kind: 'renewed';
      readonly tokens: SealedCredentials;
      readonly idToken: string | null;
      /** Where the provider processes requests with these tokens; null: anywhere. */
      readonly region: string | null;
    }
  | Exclude<TokenResponse, { kind: 'tokens' }>
  /** The account, and its data key, were deleted while the provider responded. */
  | { readonly kind: 'accountDeleted' };

/** Spends a refresh token. The caller must have a claim. Never rejects. */
export type RequestTokens = (accountId: AccountId, current: SealedCredentials) => Promise<TokenRequestResult>;

/** Creates the call to the token endpoint, with the tokens opened and sealed by the vault. */
export const createRequestTokens =
  ({ vault, tokenEndpoint, now }: Pick<TokenRefreshOptions, 'vault' | 'tokenEndpoint' | 'now'>): RequestTokens =>
  async (accountId, current) => {
    let refreshToken: string;
    try {
      refreshToken = vault.open(current.refresh);
    } catch {
      return { kind: 'transient', code: 'unreadable_tokens' };
    }
    const response = await tokenEndpoint.refresh(refreshToken, accountId);
    if (response.kind !== 'tokens') return response;
    const { access, refresh, idToken } = response;
    try {
      // The account keeps its data key.
      const keyId = vault.keyIdOf(current.refresh);
      const tokens = {
        access: vault.seal(keyId, access),
        refresh: refresh === null ? current.refresh : vault.seal(keyId, refresh),
        idToken: idToken === null ? current.idToken : vault.seal(keyId, idToken),
        accessExpiresAt: expiryOf(access),
        refreshedAt: now(),
      };
      return { kind: 'renewed', tokens, idToken, region: residencyOf(access) };
    } catch {
      return { kind: 'accountDeleted' };
    }
  };
