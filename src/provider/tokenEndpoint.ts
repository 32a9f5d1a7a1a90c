import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isPermanentFailure } from './permanentFailures.ts';
import { asObject, codeOf, objectIn, providerClient } from './providerClient.ts';

/** What became of a refresh token. `refresh` and `idToken` are null when the answer had none: the old ones stay good. */
export type TokenAnswer =
  | {
      readonly kind: 'tokens';
      readonly access: string;
      readonly refresh: string | null;
      readonly idToken: string | null;
    }
  /** The token is worthless from now on. */
  | { readonly kind: 'permanent'; readonly code: string }
  /** Nothing is said about the token: another time may do. */
  | { readonly kind: 'transient'; readonly code: string };

export interface TokenEndpoint {
  /** Spends a refresh token, which works once. Never rejects. */
  refresh(refreshToken: string): Promise<TokenAnswer>;
}

export interface TokenEndpointOptions {
  /** `SVC_AUTH_BASE_URL` */
  readonly authBaseUrl: string;
  readonly timeoutMs?: number;
}

/** The official client's registration: the provider knows no other for these tokens. */
const CLIENT_ID = 'app_EMoamEEZ73f0CkXaXp7hrann';
const SCOPE = 'openid profile email';

export function createTokenEndpoint({ authBaseUrl, timeoutMs = 8_000 }: TokenEndpointOptions): TokenEndpoint {
  const client = providerClient.extend({
    timeout: { request: timeoutMs },
    // A kept connection may be closed by the provider just as we write to it, and nobody could say then whether the
    // single-use token was spent. Repeating is out of the question for the same reason.
    agent: { http: new HttpAgent({ keepAlive: false }), https: new HttpsAgent({ keepAlive: false }) },
  });
  return {
    async refresh(refreshToken) {
      const json = { grant_type: 'refresh_token', client_id: CLIENT_ID, refresh_token: refreshToken, scope: SCOPE };
      try {
        const { statusCode, body } = await client.post(`${authBaseUrl}/oauth/token`, { json });
        return read(statusCode, body);
      } catch (error) {
        return { kind: 'transient', code: codeOf(error) };
      }
    },
  };
}

function read(status: number, text: string): TokenAnswer {
  const body = objectIn(text);
  if (status >= 200 && status < 300) {
    const access = token(body?.access_token);
    if (access === null) return { kind: 'transient', code: 'invalid_response' };
    return { kind: 'tokens', access, refresh: token(body?.refresh_token), idToken: token(body?.id_token) };
  }
  const code = errorCodeIn(body) ?? `http_${status}`;
  // A provider that is overloaded or broken says nothing about a token, whatever code it gives.
  const isAboutUs = status >= 400 && status < 500 && status !== 408 && status !== 429;
  return { kind: isAboutUs && isPermanentFailure(code) ? 'permanent' : 'transient', code };
}

const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/** It travels in a header: a line break in it would break every request of the account. */
const token = (value: unknown): string | null =>
  typeof value === 'string' && VISIBLE_ASCII.test(value) ? value : null;

/** Only what looks like a code is taken for one: a text could repeat the token to us, and codes go into the log. */
const CODE = /^[a-z0-9_.-]{1,48}$/;

function errorCodeIn(body: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const error = asObject(body?.error);
  const candidates = [error?.code, error?.error, body?.error, body?.error_code, body?.code];
  return candidates
    .filter((value) => typeof value === 'string')
    .map((value) => value.toLowerCase())
    .find((value) => CODE.test(value));
}
