import type { SimulatedAccount } from './account.ts';
import type { AuthorizationServer } from './authorizationServer.ts';
import { errorJson, json } from './http.ts';
import type { ReceivedRequest } from './received.ts';
import type { ResponseScript } from './responseScript.ts';
import { signInAnswer } from './signIn.ts';
import { refusalOfCompact, refusalOfResponses } from './strictness.ts';
import { tokenAnswer } from './tokenAnswer.ts';
import { usageAnswer } from './usage.ts';

export interface RouteOptions {
  accounts: readonly SimulatedAccount[];
  openDoor: boolean;
  strict: boolean;
  now: () => number;
  authorization: AuthorizationServer;
  /** The provider's own address, once it has one. */
  authUrl: string;
}

export interface Routed {
  script: ResponseScript;
  account: SimulatedAccount | undefined;
}

/** Who asks, and which script answers. */
export function route(request: ReceivedRequest, options: RouteOptions): Routed {
  const endpoint = `${request.method} ${request.path}`;
  const signIn = signInAnswer(request, options);
  if (signIn) return signIn;
  if (endpoint === 'POST /oauth/token') {
    const account = ownerOfRefreshToken(request, options);
    return { account, script: tokenAnswer(request, account, options.openDoor) };
  }
  const answer = ENDPOINTS[endpoint];
  if (!answer) return { account: undefined, script: notFound(endpoint) };
  const account = whoIsMeant(request, options);
  if (!account || !(options.openDoor || mayPass(request, account))) return { account, script: invalidToken() };
  return { account, script: answer(request, account, options) };
}

type Endpoint = (request: ReceivedRequest, account: SimulatedAccount, options: RouteOptions) => ResponseScript;

const ENDPOINTS: Record<string, Endpoint> = {
  'POST /backend-api/codex/responses': (request, account, { strict }) =>
    refusal(request, strict ? refusalOfResponses : undefined) ?? account.responses.take(),
  'POST /backend-api/codex/responses/compact': (request, account, { strict }) =>
    refusal(request, strict ? refusalOfCompact : undefined) ?? account.compact.take(),
  'GET /backend-api/codex/models': (_request, account) => account.models.take(),
  'GET /backend-api/wham/usage': (_request, account, { now }) => usageAnswer({ account, now: now() }),
  'POST /backend-api/transcribe': ({ form }, account) =>
    typeof form?.file === 'object' ? account.transcribe.take() : badRequest('Missing multipart part: file'),
};

function refusal(request: ReceivedRequest, rule: ((body: unknown) => string | undefined) | undefined) {
  if (!request.plain) return badRequest(`Cannot decode content-encoding ${request.headers['content-encoding']}`);
  const detail = rule?.(request.json);
  return detail === undefined ? undefined : badRequest(detail);
}

const badRequest = (detail: string): ResponseScript => json(400, { detail }, { name: `refused: ${detail}` });

const notFound = (endpoint: string): ResponseScript =>
  json(404, { detail: 'Not Found' }, { name: `not found: ${endpoint}` });

const invalidToken = (): ResponseScript =>
  errorJson(401, {
    message: 'Provided authentication token is expired or not valid. Please try signing in again.',
    code: 'invalid_token',
  });

const bearer = ({ headers }: ReceivedRequest): string => /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';

function mayPass(request: ReceivedRequest, account: SimulatedAccount): boolean {
  return request.headers['chatgpt-account-id'] === account.id && account.tokens.accepts(bearer(request));
}

/** The account of the header; among seats that share an id the one that owns the token. */
function whoIsMeant(request: ReceivedRequest, { accounts, openDoor }: RouteOptions): SimulatedAccount | undefined {
  const token = bearer(request);
  const owns = ({ tokens }: SimulatedAccount): boolean => tokens.issued(token);
  const named = accounts.filter(({ id }) => id === request.headers['chatgpt-account-id']);
  return named.find(owns) ?? named[0] ?? accounts.find(owns) ?? (openDoor ? accounts[0] : undefined);
}

/** Behind an open door an account also knows its refresh tokens from an earlier life of this process. */
function ownerOfRefreshToken(
  { json }: ReceivedRequest,
  { accounts, openDoor }: RouteOptions,
): SimulatedAccount | undefined {
  const token = String((json as Record<string, unknown> | undefined)?.refresh_token);
  const owner = accounts.find(({ tokens }) => tokens.issued(token));
  if (owner || !openDoor) return owner;
  return accounts.find(({ id }) => token.startsWith(`rt_${id}_`)) ?? accounts[0];
}
