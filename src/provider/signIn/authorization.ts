// oauth4webapi does the client's part of a sign-in: the PKCE challenge and the checks of the callback (state, issuer,
// repeated parameters, error or code: RFC 6749, 7636, 9207). got makes the calls, and `readTokenResponse` reads the responses,
// because this provider's errors are objects instead of the strings of RFC 6749, and svc uses its id token as a label, not as a
// proof. openid-client requires discovery or a check of that token; arctic leaves the state to its user. The provider's device
// flow is not that of RFC 8628, so no library supports it.

import {
  AuthorizationResponseError,
  type AuthorizationServer,
  type Client,
  calculatePKCECodeChallenge,
  validateAuthResponse,
} from 'oauth4webapi';
import type { AccountId } from '../../domain/core/brands.ts';
import type { Vault } from '../../vault/vault.ts';
import { codeOf, onceOnlyClient } from '../client/providerClient.ts';
import { CLIENT_ID, SIGN_IN_FLAGS, SIGN_IN_SCOPE } from '../client/registration.ts';
import { asErrorCode, readTokenResponse, type TokenResponse } from '../client/tokenResponse.ts';
import type { AgentFor } from '../outgoingProxy/outgoingProxies.ts';

/** The result of a callback. `foreign`: it belongs to another sign-in, or is not from the provider. */
export type CallbackResult =
  | { readonly kind: 'code'; readonly code: string }
  | { readonly kind: 'refused'; readonly code: string }
  | { readonly kind: 'foreign' };

/** The parameters of a code exchange. */
export interface Grant {
  readonly code: string;
  readonly verifier: string;
  readonly redirectUri: string;
  /** The account that signs in again, whose proxy the exchange takes; null for a new one. */
  readonly accountId: AccountId | null;
}

/** Sign-in by browser. */
export interface Authorization {
  /** @returns where the operator signs in */
  urlOf(linkId: string, redirectUri: string): Promise<string>;
  /** @returns the value that the provider returns with the code, by which a code of another sign-in is detected */
  stateOf(linkId: string): string;
  /** @returns the PKCE verifier of the challenge in the URL */
  verifierOf(linkId: string): string;
  /** Checks and reads the parameters of a callback. */
  read(callback: URLSearchParams, linkId: string): CallbackResult;
  /** Spends a code, which works once. Never rejects. */
  exchange(grant: Grant): Promise<TokenResponse>;
}

export interface AuthorizationOptions {
  /** `SVC_AUTH_BASE_URL` */
  readonly authBaseUrl: string;
  readonly agentFor: AgentFor;
  readonly vault: Pick<Vault, 'digest'>;
  readonly timeoutMs?: number;
}

/**
 * Sign-in by browser: authorization code with PKCE (docs/provider.md#browser-sign-in). Verifier and state are HMACs of the
 * link's id under the installation's key: unpredictable without it, the same on every node and after a restart, and never
 * stored.
 */
export function createAuthorization({
  authBaseUrl,
  agentFor,
  vault,
  timeoutMs = 8_000,
}: AuthorizationOptions): Authorization {
  const server: AuthorizationServer = { issuer: authBaseUrl };
  const tokenUrl = `${authBaseUrl}/oauth/token`;
  const registration: Client = { client_id: CLIENT_ID };
  const client = onceOnlyClient({ timeout: { request: timeoutMs } });
  const stateOf = (linkId: string) => vault.digest('OAuth state', linkId);
  const verifierOf = (linkId: string) => vault.digest('OAuth code verifier', linkId);

  return {
    stateOf,
    verifierOf,

    async urlOf(linkId, redirectUri) {
      const url = new URL(`${authBaseUrl}/oauth/authorize`);
      url.search = new URLSearchParams({
        response_type: 'code',
        client_id: CLIENT_ID,
        redirect_uri: redirectUri,
        scope: SIGN_IN_SCOPE,
        code_challenge: await calculatePKCECodeChallenge(verifierOf(linkId)),
        code_challenge_method: 'S256',
        state: stateOf(linkId),
        ...SIGN_IN_FLAGS,
      }).toString();
      return url.href;
    },

    read(callback, linkId) {
      try {
        const valid = validateAuthResponse(server, registration, callback, stateOf(linkId));
        const [code, second] = valid.getAll('code');
        return code && second === undefined ? { kind: 'code', code } : { kind: 'foreign' };
      } catch (error) {
        if (!(error instanceof AuthorizationResponseError)) return { kind: 'foreign' };
        return { kind: 'refused', code: asErrorCode(error.error) ?? 'authorization_failed' };
      }
    },

    async exchange({ code, verifier, redirectUri, accountId }) {
      const form = {
        grant_type: 'authorization_code',
        client_id: CLIENT_ID,
        code,
        code_verifier: verifier,
        redirect_uri: redirectUri,
      };
      try {
        const { statusCode, body } = await (await client()).post(tokenUrl, { form, ...agentFor(tokenUrl, accountId) });
        return readTokenResponse(statusCode, body);
      } catch (error) {
        return { kind: 'transient', code: codeOf(error) };
      }
    },
  };
}
