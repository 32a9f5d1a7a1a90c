import type { SimulatedAccount } from './account.ts';
import type { AuthorizationServer } from './authorizationServer.ts';
import { problemOfCompactBody, problemOfResponsesBody } from './bodyRules.ts';
import { errorJson, json } from './http.ts';
import type { ReceivedRequest } from './received.ts';
import type { ResponseScript } from './responseScript.ts';
import { signInResponse } from './signIn.ts';
import { tokenResponse } from './tokenResponse.ts';
import { usageResponse } from './usage.ts';

export interface RouteOptions {
  accounts: readonly SimulatedAccount[];
  acceptsAnyToken: boolean;
  strict: boolean;
  now: () => number;
  authorization: AuthorizationServer;
  /** The provider's own URL, set once it listens. */
  authUrl: string;
}

export interface Routed {
  script: ResponseScript;
  account: SimulatedAccount | undefined;
}

/** Finds the account of a request, and the script that responds to it. */
export function route(request: ReceivedRequest, options: RouteOptions): Routed {
  const endpoint = `${request.method} ${request.path}`;
  const signIn = signInResponse(request, options);
  if (signIn) return signIn;
  if (endpoint === 'POST /oauth/token') {
    const account = ownerOfRefreshToken(request, options);
    return { account, script: tokenResponse(request, account, options.acceptsAnyToken) };
  }
  const respond = ENDPOINTS[endpoint];
  if (!respond) return { account: undefined, script: notFound(endpoint) };
  const account = accountOf(request, options);
  if (!account || !(options.acceptsAnyToken || isAuthorized(request, account)))
    return { account, script: invalidToken() };
  return { account, script: respond(request, account, options) };
}

/** Finds the account of an upgrade, and the script that accepts or refuses it. */
export function routeUpgrade(request: ReceivedRequest, options: RouteOptions): Routed {
  const endpoint = `${request.method} ${request.path}`;
  if (endpoint !== 'GET /backend-api/codex/responses') return { account: undefined, script: notFound(endpoint) };
  const account = accountOf(request, options);
  const mayConnect = account && (options.acceptsAnyToken || isAuthorized(request, account));
  if (!mayConnect || !isInRegion(request, account)) return { account, script: invalidToken() };
  return { account, script: account.upgrades.take() };
}

/** Only the upgrade needs the region of a workspace that is bound to one (zed-industries/codex-acp#228). */
const isInRegion = ({ headers }: ReceivedRequest, { residency }: SimulatedAccount): boolean =>
  residency === undefined || headers['x-openai-internal-codex-residency'] === residency;

type Endpoint = (request: ReceivedRequest, account: SimulatedAccount, options: RouteOptions) => ResponseScript;

const ENDPOINTS: Record<string, Endpoint> = {
  'POST /backend-api/codex/responses': (request, account, { strict }) =>
    rejection(request, strict ? problemOfResponsesBody : undefined) ?? account.responses.take(),
  'POST /backend-api/codex/responses/compact': (request, account, { strict }) =>
    rejection(request, strict ? problemOfCompactBody : undefined) ?? account.compact.take(),
  'GET /backend-api/codex/models': (_request, account) => account.models.take(),
  'GET /backend-api/wham/usage': (_request, account, { now }) => usageResponse({ account, now: now() }),
  'POST /backend-api/transcribe': ({ form }, account) =>
    typeof form?.file === 'object' ? account.transcribe.take() : badRequest('Missing multipart part: file'),
};

function rejection(request: ReceivedRequest, rule: ((body: unknown) => string | undefined) | undefined) {
  if (!request.decodedBody) return badRequest(`Cannot decode content-encoding ${request.headers['content-encoding']}`);
  const detail = rule?.(request.json);
  return detail === undefined ? undefined : badRequest(detail);
}

const badRequest = (detail: string): ResponseScript => json(400, { detail }, { name: `rejected: ${detail}` });

const notFound = (endpoint: string): ResponseScript =>
  json(404, { detail: 'Not Found' }, { name: `not found: ${endpoint}` });

const invalidToken = (): ResponseScript =>
  errorJson(401, {
    message: 'Provided authentication token is expired or not valid. Please try signing in again.',
    code: 'invalid_token',
  });

const bearer = ({ headers }: ReceivedRequest): string => /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';

function isAuthorized(request: ReceivedRequest, account: SimulatedAccount): boolean {
  return request.headers['chatgpt-account-id'] === account.id && account.tokens.accepts(bearer(request));
}

/** The account with the id in the header; among seats that share an id the owner of the token. */
function accountOf(
  request: ReceivedRequest,
  { accounts, acceptsAnyToken }: RouteOptions,
): SimulatedAccount | undefined {
  const token = bearer(request);
  const isOwner = ({ tokens }: SimulatedAccount): boolean => tokens.issued(token);
  const named = accounts.filter(({ id }) => id === request.headers['chatgpt-account-id']);
  return named.find(isOwner) ?? named[0] ?? accounts.find(isOwner) ?? (acceptsAnyToken ? accounts[0] : undefined);
}

/** With `acceptsAnyToken` refresh tokens from before a restart are matched by the account id that they contain. */
function ownerOfRefreshToken(
  { json }: ReceivedRequest,
  { accounts, acceptsAnyToken }: RouteOptions,
): SimulatedAccount | undefined {
  const token = String((json as Record<string, unknown> | undefined)?.refresh_token);
  const owner = accounts.find(({ tokens }) => tokens.issued(token));
  if (owner || !acceptsAnyToken) return owner;
  return accounts.find(({ id }) => token.startsWith(`rt_${id}_`)) ?? accounts[0];
}
