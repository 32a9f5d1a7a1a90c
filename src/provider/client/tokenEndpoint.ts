import { codeOf, onceOnlyClient } from './providerClient.ts';
import { CLIENT_ID, REFRESH_SCOPE } from './registration.ts';
import { readTokenResponse, type TokenResponse } from './tokenResponse.ts';

/** The provider's OAuth token endpoint. */
export interface TokenEndpoint {
  /** Spends a refresh token, which works once. Never rejects. */
  refresh(refreshToken: string): Promise<TokenResponse>;
}

export interface TokenEndpointOptions {
  /** `SVC_AUTH_BASE_URL` */
  readonly authBaseUrl: string;
  readonly timeoutMs?: number;
}

/** Creates the client of the token endpoint. */
export function createTokenEndpoint({ authBaseUrl, timeoutMs = 8_000 }: TokenEndpointOptions): TokenEndpoint {
  const client = onceOnlyClient.extend({ timeout: { request: timeoutMs } });
  return {
    async refresh(refreshToken) {
      const json = {
        grant_type: 'refresh_token',
        client_id: CLIENT_ID,
        refresh_token: refreshToken,
        scope: REFRESH_SCOPE,
      };
      try {
        const { statusCode, body } = await client.post(`${authBaseUrl}/oauth/token`, { json });
        return readTokenResponse(statusCode, body);
      } catch (error) {
        return { kind: 'transient', code: codeOf(error) };
      }
    },
  };
}
