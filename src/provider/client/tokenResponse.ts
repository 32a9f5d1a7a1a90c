import { asObject, isHeaderSafe, type JsonObject, objectIn } from './json.ts';
import { isPermanentFailure } from './permanentFailures.ts';

/** What the token endpoint gave for a refresh token or a code. Null when the answer had none: the old one stays good. */
export type TokenAnswer =
  | {
      readonly kind: 'tokens';
      readonly access: string;
      readonly refresh: string | null;
      readonly idToken: string | null;
    }
  /** What was sent is worthless from now on. */
  | { readonly kind: 'permanent'; readonly code: string }
  /** Nothing is said about what was sent: another time may do. */
  | { readonly kind: 'transient'; readonly code: string };

/** Reads an answer of the token endpoint. No text of the provider gets any further: it could repeat a token to us. */
export function readTokenAnswer(status: number, text: string): TokenAnswer {
  const body = objectIn(text);
  if (status >= 200 && status < 300) return tokensIn(body) ?? { kind: 'transient', code: 'invalid_response' };
  const code = errorCodeIn(body) ?? `http_${status}`;
  // A provider that is overloaded or broken says nothing about a token, whatever code it gives.
  const isAboutUs = status >= 400 && status < 500 && status !== 408 && status !== 429;
  return { kind: isAboutUs && isPermanentFailure(code) ? 'permanent' : 'transient', code };
}

/** Undefined when there is no access token. */
export function tokensIn(body: JsonObject | undefined): Extract<TokenAnswer, { kind: 'tokens' }> | undefined {
  const access = token(body?.access_token);
  if (access === null) return undefined;
  return { kind: 'tokens', access, refresh: token(body?.refresh_token), idToken: token(body?.id_token) };
}

const token = (value: unknown): string | null => (typeof value === 'string' && isHeaderSafe(value) ? value : null);

/** Only what looks like a code is taken for one: a text could repeat the token to us, and codes go into the log. */
const CODE = /^[a-z0-9_.-]{1,48}$/;

/** The code of an error in whichever of its places the provider put it, in lower case. */
export function errorCodeIn(body: JsonObject | undefined): string | undefined {
  const error = asObject(body?.error);
  return [error?.code, error?.error, body?.error, body?.error_code, body?.code]
    .map(asErrorCode)
    .find((code) => code !== undefined);
}

/** A code as the log may hold it, in lower case; undefined for a text that could be anything. */
export function asErrorCode(value: unknown): string | undefined {
  const code = typeof value === 'string' ? value.toLowerCase() : '';
  return CODE.test(code) ? code : undefined;
}
