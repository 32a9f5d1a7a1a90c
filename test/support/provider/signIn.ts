import { randomBytes } from 'node:crypto';
import type { SimulatedAccount } from './account.ts';
import { type AuthorizationServer, CLIENT_ID, challengeOf, type Device } from './authorizationServer.ts';
import { errorJson, json, whole } from './http.ts';
import type { ReceivedRequest } from './received.ts';
import type { ResponseScript } from './responseScript.ts';
import { devicePage, problemPage, signInPage } from './signInPages.ts';
import { grantedTo } from './tokenAnswer.ts';

export interface SignInOptions {
  readonly accounts: readonly SimulatedAccount[];
  readonly authorization: AuthorizationServer;
  /** The provider's own address. */
  readonly authUrl: string;
}

export interface SignInAnswer {
  readonly script: ResponseScript;
  readonly account: SimulatedAccount | undefined;
}

const REDIRECT = /^http:\/\/(127\.0\.0\.1|localhost):\d+\/auth\/callback$/;
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/** Everything that a sign-in asks for; undefined for other requests (docs/provider.md#browser-sign-in, #device-sign-in). */
export function signInAnswer(request: ReceivedRequest, options: SignInOptions): SignInAnswer | undefined {
  const nobodys = (script: ResponseScript) => ({ script, account: undefined });
  switch (`${request.method} ${request.path}`) {
    case 'GET /oauth/authorize':
      return nobodys(authorize(request, options));
    case 'GET /codex/device':
      return nobodys(devicePage(request.query.user_code ?? '', options.accounts));
    case 'POST /codex/device':
      return nobodys(enterDeviceCode(request, options));
    case 'POST /api/accounts/deviceauth/usercode':
      return nobodys(userCode(request, options));
    case 'POST /api/accounts/deviceauth/token':
      return nobodys(devicePoll(request, options));
    case 'POST /oauth/token':
      return request.form?.grant_type === 'authorization_code' ? exchange(request, options) : undefined;
    default:
      return undefined;
  }
}

/** Shows who there is to sign in as; `login=<e-mail>` and `deny=1` are what the buttons of that page send. */
function authorize({ query }: ReceivedRequest, { accounts, authorization }: SignInOptions): ResponseScript {
  const problem = problemOfAuthorize(query);
  if (problem) return problemPage(problem);
  const { redirect_uri: redirectUri = '', state = '', code_challenge: challenge = '' } = query;
  if (query.deny !== undefined) {
    return redirect(redirectUri, { error: 'access_denied', error_description: 'The user said no', state });
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
  if (state.length < 16) return 'state is missing or can be guessed';
  if (!scope.split(' ').includes('openid') || !scope.split(' ').includes('offline_access'))
    return 'scope lacks something';
  return undefined;
}

function redirect(uri: string, parameters: Record<string, string>): ResponseScript {
  const location = `${uri}?${new URLSearchParams(parameters)}`;
  return whole(302, 'text/html', '', { name: 'redirect', headers: { location } });
}

function exchange({ form = {} }: ReceivedRequest, { authorization }: SignInOptions): SignInAnswer {
  const { code, redirect_uri: redirectUri, code_verifier: verifier, client_id: client } = form;
  const isWhole = client === CLIENT_ID && [code, redirectUri, verifier].every((value) => typeof value === 'string');
  const account =
    isWhole && VERIFIER.test(String(verifier))
      ? authorization.redeem({ code: String(code), redirectUri: String(redirectUri), verifier: String(verifier) })
      : undefined;
  const scripted = authorization.script.nextExchanges.shift();
  if (!account)
    return { account, script: errorJson(400, { message: 'Invalid authorization code', code: 'invalid_grant' }) };
  // A provider that fails after it has signed somebody in has done so all the same.
  const granted = grantedTo(account, account.tokens.signIn());
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
  const end = script.saysExpiresAt
    ? { expires_at: new Date(expiresAt).toISOString() }
    : { expires_in: script.expiresInSeconds };
  return json(200, { device_auth_id: deviceAuthId, user_code: code, interval: script.interval, ...end });
}

function devicePoll({ json: body }: ReceivedRequest, { authorization, authUrl }: SignInOptions): ResponseScript {
  const scripted = authorization.script.nextPolls.shift();
  if (scripted) return scripted;
  const { device_auth_id: id, user_code: code } = (body ?? {}) as Record<string, unknown>;
  const device = authorization.deviceAsking(id, code);
  if (device?.answer === 'denied') return errorJson(403, { message: 'The user said no', code: 'access_denied' });
  if (!device?.answer)
    return errorJson(device ? 403 : 404, { message: 'Not authorized yet', code: 'deviceauth_pending' });
  return deviceAnswer(device, device.answer.account, authorization, authUrl);
}

function deviceAnswer(device: Device, account: SimulatedAccount, authorization: AuthorizationServer, authUrl: string) {
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
  if (!authorization.deviceOf(code)) return problemPage('Nobody waits for this code');
  if (form.deny !== undefined) authorization.deny(code);
  else if (account) authorization.approve(code, account);
  else return devicePage(code, accounts);
  return problemPage(account ? `Signed in as ${account.email}. You can close this page.` : 'Denied.', 200);
}
