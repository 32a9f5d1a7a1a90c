import { randomBytes } from 'node:crypto';
import type { SimulatedAccount } from './account.ts';
import { type AuthorizationServer, CLIENT_ID, challengeOf, type Device } from './authorizationServer.ts';
import { errorJson, fullResponse, json } from './http.ts';
import type { ReceivedRequest } from './received.ts';
import type { ResponseScript } from './responseScript.ts';
import { devicePage, problemPage, signInPage } from './signInPages.ts';
import { signInTokens } from './tokenResponse.ts';

export interface SignInOptions {
  readonly accounts: readonly SimulatedAccount[];
  readonly authorization: AuthorizationServer;
  /** The provider's own address. */
  readonly authUrl: string;
}

export interface SignInResponse {
  readonly script: ResponseScript;
  readonly account: SimulatedAccount | undefined;
}

const REDIRECT = /^http:\/\/(127\.0\.0\.1|localhost):\d+\/auth\/callback$/;
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/** @returns the response to a request of a sign-in (docs/provider.md#browser-sign-in, #device-sign-in), undefined for others */
export function signInResponse(request: ReceivedRequest, options: SignInOptions): SignInResponse | undefined {
  const withoutAccount = (script: ResponseScript) => ({ script, account: undefined });
  switch (`${request.method} ${request.path}`) {
    case 'GET /oauth/authorize':
      return withoutAccount(authorize(request, options));
    case 'GET /codex/device':
      return withoutAccount(devicePage(request.query.user_code ?? '', options.accounts));
    case 'POST /codex/device':
      return withoutAccount(enterDeviceCode(request, options));
    case 'POST /api/accounts/deviceauth/usercode':
      return withoutAccount(userCode(request, options));
    case 'POST /api/accounts/deviceauth/token':
      return withoutAccount(devicePoll(request, options));
    case 'POST /oauth/token':
      return request.form?.grant_type === 'authorization_code' ? exchange(request, options) : undefined;
    default:
      return undefined;
  }
}

/** Shows a page to choose an account; its buttons send `login=<e-mail>` or `deny=1`. */
function authorize({ query }: ReceivedRequest, { accounts, authorization }: SignInOptions): ResponseScript {
  const problem = problemOfAuthorize(query);
  if (problem) return problemPage(problem);
  const { redirect_uri: redirectUri = '', state = '', code_challenge: challenge = '' } = query;
  if (query.deny !== undefined) {
    return redirect(redirectUri, { error: 'access_denied', error_description: 'The user denied access', state });
  }
  const account = accounts.find(({ email }) => email === query.login);
  if (!account) return signInPage(query, accounts);
  return redirect(redirectUri, { code: authorization.issue(account, redirectUri, challenge), state });
}

function problemOfAuthorize(query: Record<string, string>): string | undefined {
  const { scope = '', state = '', redirect_uri: redirectUri = '', code_challenge: challenge = '' } = query;
  if (query.response_type !== 'code') return 'response_type must be code';
  if (query.client_id !== CLIENT_ID) return 'unknown client_id';
  if (!REDIRECT.test(redirectUri)) return 'redirect_uri is not registered';
  if (query.code_challenge_method !== 'S256' || !CHALLENGE.test(challenge)) return 'PKCE with S256 is required';
  if (state.length < 16) return 'state is missing or too short';
  if (!scope.split(' ').includes('openid') || !scope.split(' ').includes('offline_access'))
    return 'scope must include openid and offline_access';
  return undefined;
}

function redirect(uri: string, parameters: Record<string, string>): ResponseScript {
  const location = `${uri}?${new URLSearchParams(parameters)}`;
  return fullResponse(302, 'text/html', '', { name: 'redirect', headers: { location } });
}

function exchange({ form = {} }: ReceivedRequest, { authorization }: SignInOptions): SignInResponse {
  const { code, redirect_uri: redirectUri, code_verifier: verifier, client_id: client } = form;
  const isComplete = client === CLIENT_ID && [code, redirectUri, verifier].every((value) => typeof value === 'string');
  const account =
    isComplete && VERIFIER.test(String(verifier))
      ? authorization.redeem({ code: String(code), redirectUri: String(redirectUri), verifier: String(verifier) })
      : undefined;
  const scripted = authorization.script.nextExchanges.shift();
  if (!account)
    return { account, script: errorJson(400, { message: 'Invalid authorization code', code: 'invalid_grant' }) };
  // The sign-in is effective even if the response is a scripted failure.
  const granted = signInTokens(account, account.tokens.signIn());
  return { account, script: scripted ?? granted };
}

function userCode({ json: body }: ReceivedRequest, { authorization }: SignInOptions): ResponseScript {
  const { script } = authorization;
  const scripted = script.nextUserCodes.shift();
  if (scripted) return scripted;
  if ((body as { client_id?: unknown } | undefined)?.client_id !== CLIENT_ID) {
    return errorJson(400, { message: 'Unknown client', code: 'invalid_client' });
  }
  const { deviceAuthId, userCode: code, expiresAt } = authorization.newDevice();
  const end = script.sendsExpiresAt
    ? { expires_at: new Date(expiresAt).toISOString() }
    : { expires_in: script.expiresInSeconds };
  return json(200, { device_auth_id: deviceAuthId, user_code: code, interval: script.interval, ...end });
}

function devicePoll({ json: body }: ReceivedRequest, { authorization, authUrl }: SignInOptions): ResponseScript {
  const scripted = authorization.script.nextPolls.shift();
  if (scripted) return scripted;
  const { device_auth_id: id, user_code: code } = (body ?? {}) as Record<string, unknown>;
  const device = authorization.pendingDevice(id, code);
  if (device?.decision === 'denied')
    return errorJson(403, { message: 'The user denied access', code: 'access_denied' });
  if (!device?.decision)
    return errorJson(device ? 403 : 404, { message: 'Not authorized yet', code: 'deviceauth_pending' });
  return deviceGrant(device, device.decision.account, authorization, authorization.script.publicUrl ?? authUrl);
}

function deviceGrant(device: Device, account: SimulatedAccount, authorization: AuthorizationServer, authUrl: string) {
  authorization.forget(device);
  const verifier = randomBytes(48).toString('base64url');
  const challenge = challengeOf(verifier);
  return json(200, {
    authorization_code: authorization.issue(account, `${authUrl}/deviceauth/callback`, challenge),
    code_challenge: challenge,
    code_verifier: verifier,
  });
}

function enterDeviceCode({ form = {} }: ReceivedRequest, { accounts, authorization }: SignInOptions): ResponseScript {
  const code = String(form.user_code ?? '').trim();
  const account = accounts.find(({ email }) => email === form.login);
  if (!authorization.deviceOf(code)) return problemPage('No device waits for this code');
  if (form.deny !== undefined) authorization.deny(code);
  else if (account) authorization.approve(code, account);
  else return devicePage(code, accounts);
  return problemPage(account ? `Signed in as ${account.email}. You can close this page.` : 'Denied.', 200);
}
