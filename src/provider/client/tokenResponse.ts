import { asObject, isToken, type JsonObject, objectIn } from './json.ts';
import { isPermanentFailure } from './permanentFailures.ts';

/** The token endpoint's response to a refresh token or a code. Null: it contained no such token, so the old one stays valid. */
export type TokenResponse =
  | {
      readonly kind: 'tokens';
      readonly access: string;
      readonly refresh: string | null;
      readonly idToken: string | null;
    }
  /** The token or code that was sent is invalid and stays so. */
  | { readonly kind: 'permanent'; readonly code: string }
  /** The token or code that was sent may work later. */
  | { readonly kind: 'transient'; readonly code: string };

/** Reads a response of the token endpoint. The result contains no text of it except error codes: a text could contain a token. */
export function readTokenResponse(status: number, text: string): TokenResponse {
  const body = objectIn(text);
  if (status >= 200 && status < 300) return tokensIn(body) ?? { kind: 'transient', code: 'invalid_response' };
  const code = errorCodeIn(body) ?? `http_${status}`;
  // These statuses mean that the provider is overloaded or broken, so its code tells nothing about the token.
  const isAboutToken = status >= 400 && status < 500 && status !== 408 && status !== 429;
  return { kind: isAboutToken && isPermanentFailure(code) ? 'permanent' : 'transient', code };
}

/** @returns undefined without an access token */
export function tokensIn(body: JsonObject | undefined): Extract<TokenResponse, { kind: 'tokens' }> | undefined {
  const access = token(body?.access_token);
  if (access === null) return undefined;
  return { kind: 'tokens', access, refresh: token(body?.refresh_token), idToken: token(body?.id_token) };
}

const token = (value: unknown): string | null => (typeof value === 'string' && isToken(value) ? value : null);

/** Codes are logged. Other texts are not accepted as codes, because they could contain the token. */
const CODE = /^[a-z0-9_.-]{1,48}$/;

/** @returns the error code in lower case, from any of the places where the provider puts it (docs/provider.md#shapes-of-an-error) */
export function errorCodeIn(body: JsonObject | undefined): string | undefined {
  const error = asObject(body?.error);
  return [error?.code, error?.error, body?.error, body?.error_code, body?.code]
    .map(asErrorCode)
    .find((code) => code !== undefined);
}

/** @returns the code in lower case, fit for the log; undefined for any other text */
export function asErrorCode(value: unknown): string | undefined {
  const code = typeof value === 'string' ? value.toLowerCase() : '';
  return CODE.test(code) ? code : undefined;
}
