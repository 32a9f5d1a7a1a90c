import type { AccountId } from '../../domain/core/brands.ts';
import type { AgentFor } from '../outgoingProxy/outgoingProxies.ts';
import { codeOf, onceOnlyClient } from './providerClient.ts';
import { CLIENT_ID, REFRESH_SCOPE } from './registration.ts';
import { readTokenResponse, type TokenResponse } from './tokenResponse.ts';

/** The provider's OAuth token endpoint. */
export interface TokenEndpoint {
  /** Spends a refresh token, which works once. Never rejects. */
  refresh(refreshToken: string, accountId: AccountId): Promise<TokenResponse>;
}

export interface TokenEndpointOptions {
  /** `SVC_AUTH_BASE_URL` */
  readonly authBaseUrl: string;
  readonly agentFor: AgentFor;
  readonly timeoutMs?: number;
}

/** Creates the client of the token endpoint. */
export function createTokenEndpoint({ authBaseUrl, agentFor, timeoutMs = 8_000 }: TokenEndpointOptions): TokenEndpoint {
  const client = onceOnlyClient({ timeout: { request: timeoutMs } });
  return {
    async refresh(refreshToken, accountId) {
      const json = {
        grant_type: 'refresh_token',
        client_id: CLIENT_ID,
        refresh_token: refreshToken,
        scope: REFRESH_SCOPE,
      };
      try {
        const url = `${authBaseUrl}/oauth/token`;
        const { statusCode, body } = await (await client()).post(url, { json, ...agentFor(url, accountId) });
        return readTokenResponse(statusCode, body);
      } catch (error) {
        return { kind: 'transient', code: codeOf(error) };
      }
    },
  };
}
