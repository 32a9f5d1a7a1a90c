// Why oauth4webapi, and for what. What happens on our side of a sign-in is its part: the challenge of PKCE, and the checks
// of what comes back (state, issuer, no parameter twice, error or code: RFC 6749, 7636, 9207). The calls are got's like all
// others to the provider, and our own reader takes the answer, because this provider's errors are objects where RFC 6749
// wants a text, and its id token is a label to us, not a proof. openid-client insists on discovery or on checking that
// token; arctic leaves state to the caller. The device flow is none of RFC 8628's, so no library has it.

import {
  AuthorizationResponseError,
  type AuthorizationServer,
  type Client,
  calculatePKCECodeChallenge,
  validateAuthResponse,
} from 'oauth4webapi';
import type { Vault } from '../../vault/vault.ts';
import { codeOf, onceOnlyClient } from '../client/providerClient.ts';
import { CLIENT_ID, SIGN_IN_FLAGS, SIGN_IN_SCOPE } from '../client/registration.ts';
import { asErrorCode, readTokenAnswer, type TokenAnswer } from '../client/tokenResponse.ts';

/** What the provider sent the browser back with. `foreign`: not for this sign-in, or nothing that a provider sends. */
export type CallbackAnswer =
  | { readonly kind: 'code'; readonly code: string }
  | { readonly kind: 'refused'; readonly code: string }
  | { readonly kind: 'foreign' };

/** What a code is exchanged with. */
export interface Grant {
  readonly code: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

export interface Authorization {
  /** Where the operator signs in. */
  urlOf(linkId: string, redirectUri: string): Promise<string>;
  /** What the provider gives back with the code, so that a code of another sign-in is recognised. */
  stateOf(linkId: string): string;
  /** The other half of the challenge in the URL. */
  verifierOf(linkId: string): string;
  read(callback: URLSearchParams, linkId: string): CallbackAnswer;
  /** Spends a code, which works once. Never rejects. */
  exchange(grant: Grant): Promise<TokenAnswer>;
}

export interface AuthorizationOptions {
  /** `SVC_AUTH_BASE_URL` */
  readonly authBaseUrl: string;
  readonly vault: Pick<Vault, 'digest'>;
  readonly timeoutMs?: number;
}

/**
 * Sign-in by browser: authorization code with PKCE. Verifier and state are HMACs of the link's id under the
 * installation's own key: as random as the key to everybody else, the same after a restart and on every node, and
 * nothing that would have to be kept.
 */
export function createAuthorization({ authBaseUrl, vault, timeoutMs = 8_000 }: AuthorizationOptions): Authorization {
  const server: AuthorizationServer = { issuer: authBaseUrl };
  const registration: Client = { client_id: CLIENT_ID };
  const client = onceOnlyClient.extend({ timeout: { request: timeoutMs } });
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
        const [code, another] = valid.getAll('code');
        return code && another === undefined ? { kind: 'code', code } : { kind: 'foreign' };
      } catch (error) {
        if (!(error instanceof AuthorizationResponseError)) return { kind: 'foreign' };
        return { kind: 'refused', code: asErrorCode(error.error) ?? 'authorization_failed' };
      }
    },

    async exchange({ code, verifier, redirectUri }) {
      const form = {
        grant_type: 'authorization_code',
        client_id: CLIENT_ID,
        code,
        code_verifier: verifier,
        redirect_uri: redirectUri,
      };
      try {
        const { statusCode, body } = await client.post(`${authBaseUrl}/oauth/token`, { form });
        return readTokenAnswer(statusCode, body);
      } catch (error) {
        return { kind: 'transient', code: codeOf(error) };
      }
    },
  };
}
