import type { SimulatedAccount } from './account.ts';
import { errorJson, json } from './http.ts';
import type { ReceivedRequest } from './received.ts';
import type { ResponseScript } from './responseScript.ts';
import type { RefreshError, TokenSet } from './tokens.ts';
import { delayed } from './variations.ts';

/** How `/oauth/token` responds for an account. With `delayMs` the token is used up immediately, the response delayed. */
export type TokenScript = 'rotate' | 'hang' | { status: number; error?: string } | { delayMs: number } | ResponseScript;

const SCOPE = 'openid profile email offline_access';

const MESSAGES: Record<RefreshError, string> = {
  refresh_token_reused:
    'Your refresh token has already been used to generate a new access token. Please try signing in again.',
  refresh_token_invalidated: 'Your refresh token is no longer valid. Please try signing in again.',
};

/** The response to a refresh at `POST /oauth/token`. */
export function tokenResponse(
  { json: body }: ReceivedRequest,
  account: SimulatedAccount | undefined,
  acceptsAnyToken: boolean,
): ResponseScript {
  const { grant_type: grant, refresh_token: refreshToken } = (body ?? {}) as Record<string, unknown>;
  if (grant !== 'refresh_token')
    return errorJson(400, { message: `Unsupported grant_type ${grant}`, code: 'unsupported_grant_type' });
  if (typeof refreshToken !== 'string')
    return errorJson(400, { message: 'Missing refresh_token', code: 'invalid_request' });
  if (!account) return refusedRefresh('refresh_token_invalidated');

  const script = account.token;
  if (script === 'hang') return HANG;
  if (script === 'rotate') return rotate(account, refreshToken, acceptsAnyToken);
  if ('steps' in script) return script;
  if ('delayMs' in script) return delayed(script.delayMs, rotate(account, refreshToken, acceptsAnyToken));
  return scriptedError(script);
}

const HANG: ResponseScript = { name: 'token hang', steps: [{ hold: true }] };

function scriptedError({ status, error = 'server_error' }: { status: number; error?: string }): ResponseScript {
  return errorJson(status, { message: `Simulated ${error}`, code: error });
}

function rotate({ tokens }: SimulatedAccount, refreshToken: string, acceptsAnyToken: boolean): ResponseScript {
  const outcome = acceptsAnyToken && !tokens.issued(refreshToken) ? tokens.signIn() : tokens.refresh(refreshToken);
  return typeof outcome === 'string' ? refusedRefresh(outcome) : granted(outcome);
}

const refusedRefresh = (code: RefreshError): ResponseScript => errorJson(401, { message: MESSAGES[code], code });

/** The response to a sign-in of this account: its tokens, unless its script says otherwise. */
export function signInTokens({ token: script }: SimulatedAccount, tokens: TokenSet): ResponseScript {
  if (script === 'rotate') return granted(tokens);
  if (script === 'hang') return HANG;
  if ('steps' in script) return script;
  if ('delayMs' in script) return delayed(script.delayMs, granted(tokens));
  return scriptedError(script);
}

const granted = ({ idToken, accessToken, refreshToken }: TokenSet): ResponseScript =>
  json(
    200,
    {
      id_token: idToken,
      access_token: accessToken,
      refresh_token: refreshToken,
      token_type: 'Bearer',
      scope: SCOPE,
      expires_in: 864_000,
    },
    { name: 'rotate' },
  );
