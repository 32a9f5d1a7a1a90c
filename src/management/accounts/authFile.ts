import type { Instant } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import {
  asObject,
  isHeaderSafe,
  type JsonObject,
  MAX_TOKEN_CHARACTERS,
  textOrNull,
} from '../../provider/client/json.ts';
import { expiryOf, identityOf } from '../../provider/client/jwt.ts';
import { parseTime } from '../http/isoTime.ts';

/** The content of the file in which the provider's command-line client stores a sign-in (docs/provider.md#auth-file). */
export interface AuthFile {
  readonly idToken: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly accessExpiresAt: Instant | null;
  /** Null when the file does not contain it; the time of the import is used instead. */
  readonly refreshedAt: Instant | null;
  readonly upstreamAccountId: string | null;
  /** As spelled in the id token; null when it contains none. */
  readonly email: string | null;
  readonly displayName: string | null;
  readonly planType: string;
  readonly hasReadableIdToken: boolean;
}

/** Parses an auth file. @throws Refusal `invalid_auth_json` with the failing field as `param` */
export function parseAuthFile(bytes: Uint8Array): AuthFile {
  const file = parseObject(bytes);
  const tokens =
    asObject(file.tokens) ?? refuse('invalid_auth_json', { param: 'tokens', problem: 'is missing from the auth file' });
  const parsed = {
    accessToken: requireToken(tokens, 'access_token', 'accessToken'),
    refreshToken: requireToken(tokens, 'refresh_token', 'refreshToken'),
    idToken: requireToken(tokens, 'id_token', 'idToken'),
  };
  const upstreamAccountId = textOrNull(tokens.account_id ?? tokens.accountId);
  return { ...authFileFromTokens(parsed, upstreamAccountId), refreshedAt: parseLastRefresh(file) };
}

/**
 * Reads identity and expiry from the claims of the tokens.
 * @param upstreamAccountId takes precedence over the one in the id token
 * @throws Refusal `invalid_auth_json` when the account's id cannot be sent in a header
 */
export function authFileFromTokens(
  tokens: Pick<AuthFile, 'idToken' | 'accessToken' | 'refreshToken'>,
  upstreamAccountId: string | null = null,
): AuthFile {
  const identity = identityOf(tokens.idToken);
  return {
    ...tokens,
    accessExpiresAt: expiryOf(tokens.accessToken),
    refreshedAt: null,
    upstreamAccountId: requireHeaderSafe(upstreamAccountId ?? identity?.upstreamAccountId ?? null),
    email: identity?.email ?? null,
    displayName: identity?.displayName ?? null,
    planType: identity?.planType ?? 'unknown',
    hasReadableIdToken: identity !== undefined,
  };
}

function parseObject(bytes: Uint8Array): JsonObject {
  let content: unknown;
  try {
    content = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    refuse('invalid_auth_json', { problem: 'the auth file is not JSON in UTF-8' });
  }
  return asObject(content) ?? refuse('invalid_auth_json', { problem: 'the auth file is not a JSON object' });
}

function requireToken(tokens: JsonObject, name: string, alias: string): string {
  const value = tokens[name] ?? tokens[alias];
  const param = `tokens.${name}`;
  if (value === undefined || value === null || value === '')
    return refuse('invalid_auth_json', { param, problem: 'is missing' });
  if (typeof value !== 'string') return refuse('invalid_auth_json', { param, problem: 'must be a string' });
  if (value.length > MAX_TOKEN_CHARACTERS) {
    return refuse('invalid_auth_json', { param, problem: `must have at most ${MAX_TOKEN_CHARACTERS} characters` });
  }
  if (!isHeaderSafe(value))
    return refuse('invalid_auth_json', { param, problem: 'contains characters that tokens never contain' });
  return value;
}

function requireHeaderSafe(upstreamAccountId: string | null): string | null {
  if (
    upstreamAccountId === null ||
    (upstreamAccountId.length <= 200 && isHeaderSafe(upstreamAccountId) && !upstreamAccountId.startsWith('sealed.'))
  ) {
    return upstreamAccountId;
  }
  return refuse('invalid_auth_json', {
    param: 'tokens.account_id',
    problem: 'contains characters that account ids never contain',
  });
}

function parseLastRefresh(file: JsonObject): Instant | null {
  const text = textOrNull(file.last_refresh ?? file.lastRefreshAt ?? file.last_refresh_at);
  return text === null ? null : (parseTime(text) ?? null);
}
