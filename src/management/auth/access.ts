import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { BUILT_IN_ADMINISTRATOR } from '../../domain/core/builtInAdministrator.ts';
import type { ErrorCode } from '../../domain/core/errorCodes.ts';
import { Refusal, refuse } from '../../domain/core/refusal.ts';
import {
  hasVerifiedTotp,
  isSessionValid,
  isTotpPending,
  mustSetUpTotp,
} from '../../domain/dashboardAuth/sessionChecks.ts';
import { parseIp } from '../../domain/firewall/ipAddress.ts';
import { credentialsOf } from '../../domain/operator/credentials.ts';
import type { Session } from '../../domain/session/state.ts';
import { isLoopback } from '../../http/client/isThisMachine.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import type { Capabilities } from '../http/capabilities.ts';
import {
  type AnyContext,
  type Client,
  isWrite,
  type ManagementMiddleware,
  type ManagementState,
} from '../http/context.ts';
import { isOpen, LOCAL_ADMINISTRATOR, type Principal, principalOfSession } from '../people/principal.ts';
import { bearerToken } from '../people/secrets.ts';
import { type Actors, UNKNOWN_PERSON, type Who } from './actors.ts';
import type { DeniedActions } from './deniedActions.ts';
import { idleStateOf } from './idleLimit.ts';
import { authorizeIrreversible } from './irreversible.ts';
import type { SessionCookie } from './sessionCookie.ts';
import type { TokenAuthentication } from './tokenAuthentication.ts';

/** Derives addresses and scheme from a request; depends on the trusted proxies, and tests replace it. */
export interface ConnectionInfo {
  /** The address of the peer. */
  readonly remoteAddress?: (request: IncomingMessage) => string | undefined;
  /** The address of the client, as a trusted proxy forwards it; by default that of the peer. */
  readonly clientAddress?: (request: IncomingMessage) => string | undefined;
  /** Whether the client uses HTTPS, to this service or to a trusted proxy. */
  readonly isHttps?: (request: IncomingMessage) => boolean;
}

/** Each event of an operator keeps both. */
const MAX_ADDRESS_CHARACTERS = 100;
const MAX_USER_AGENT_CHARACTERS = 500;

interface IdentifyClientOptions extends Pick<Capabilities, 'views' | 'now'> {
  readonly cookie: Pick<SessionCookie, 'read' | 'write'>;
  readonly connection: ConnectionInfo;
  readonly actors: Actors;
  readonly tokens: TokenAuthentication;
  readonly denied: DeniedActions;
  readonly allowsLocalSignIn: boolean;
}

/** Sets the client, the principal and the cause of the request in `ctx.state`; refuses no request. */
export function identifyClient(options: IdentifyClientOptions): ManagementMiddleware {
  const { views, now, cookie, connection, actors, tokens, denied, allowsLocalSignIn } = options;
  const { remoteAddress = (request) => request.socket.remoteAddress, clientAddress = remoteAddress } = connection;

  /** The session of the cookie, unless it has ended, was unused for too long, or began in a way that is switched off. */
  function sessionOf(ctx: AnyContext): Session | undefined {
    const content = cookie.read(ctx);
    const session = content && views.current.sessions.get(content.sessionId);
    if (!session || !isSessionValid(session, credentialsOf(session.operatorId, views.current), now())) return undefined;
    if (!allowsLocalSignIn && session.operatorId !== BUILT_IN_ADMINISTRATOR && session.method !== 'oidc')
      return undefined;
    const { isIdle, mustRenew } = idleStateOf(content, views.current.operators, now());
    if (isIdle) return undefined;
    // A page that only listens is not being used.
    if (mustRenew && ctx.path !== '/api/live')
      cookie.write(ctx, { sessionId: session.id, expiresAt: session.expiresAt });
    return session;
  }

  return async (ctx, next) => {
    const rawAddress = (clientAddress(ctx.req) ?? '').slice(0, MAX_ADDRESS_CHARACTERS);
    const bearer = bearerToken(ctx.headers.authorization);
    const session = bearer === undefined ? sessionOf(ctx) : undefined;
    const client: Client = {
      address: parseIp(rawAddress) ?? rawAddress,
      userAgent: ctx.get('user-agent').slice(0, MAX_USER_AGENT_CHARACTERS) || null,
      notLocalReason: notLocalReason(remoteAddress(ctx.req) ?? '', ctx.headers),
      session,
    };
    const { state } = ctx;
    const correlationId = state.requestId;
    state.client = client;
    state.principal = undefined;
    state.cause = { actor: actors.ofReader(STRANGER), correlationId };
    if (bearer === undefined) {
      state.principal = session
        ? principalOf(session, views.current)
        : isOpen(views.current) && client.notLocalReason === undefined
          ? LOCAL_ADMINISTRATOR
          : undefined;
    } else {
      const found = await tokens.authenticate(client, bearer, correlationId);
      if (found instanceof Refusal) state.client = { ...client, tokenRefusal: found };
      else state.principal = found;
    }
    const who = whoIs(state, views.current);
    // A read causes no event, and must not need the vault.
    const actor = isWrite(ctx) ? await actors.of(client, who) : actors.ofReader(who);
    state.cause = { actor, correlationId };
    state.authorizeIrreversible = () => authorizeIrreversible(views.current, state, now());
    state.recordDenied = async (action) => {
      const { principal } = state;
      if (principal) await denied.record(principal, action, { actor: await actors.of(client, who), correlationId });
    };
    return next();
  };
}

const STRANGER: Who = { operatorId: UNKNOWN_PERSON, sessionId: null, usedTotp: false };

function whoIs({ client: { session }, principal }: ManagementState, state: HotState): Who {
  const operatorId = principal?.operatorId ?? session?.operatorId;
  if (operatorId === undefined) return STRANGER;
  const tokenId = principal?.tokenId;
  const method = tokenId === undefined ? session?.method : 'token';
  const usedTotp = session !== undefined && hasVerifiedTotp(session, credentialsOf(operatorId, state));
  return { operatorId, sessionId: session?.id ?? null, tokenId, method, usedTotp };
}

/** @returns undefined while TOTP of the session must be verified or set up */
function principalOf(session: Session, state: HotState): Principal | undefined {
  const auth = credentialsOf(session.operatorId, state);
  return isTotpPending(session, auth) || mustSetUpTotp(session, auth)
    ? undefined
    : principalOfSession(session, state.operators);
}

/**
 * Lets through clients with a session (docs/decisions/0040-dashboard-sessions.md) or a management token and, while none is needed,
 * clients on this machine (docs/decisions/0039-no-password-yet.md). Every route mounted after it is protected.
 * @throws Refusal `authentication_required`, on settings `unauthorized` | `totp_required` | `rate_limit_exceeded`
 */
export const requireSession =
  ({ views }: Pick<Capabilities, 'views'>): ManagementMiddleware =>
  (ctx, next) => {
    checkSession(views.current, ctx);
    return next();
  };

/** As `requireSession`, for a route that also admits other clients. @throws Refusal */
export function checkSession(state: HotState, ctx: AnyContext): Principal {
  const { principal, client } = ctx.state;
  if (principal) return principal;
  if (client.tokenRefusal) throw client.tokenRefusal;
  const code = SETTINGS.test(ctx.path) ? 'unauthorized' : 'authentication_required';
  if (client.session) return refuse('totp_required', setUpHint(client.session, state));
  if (isOpen(state)) requireLocalClient(ctx, code);
  return refuse(code);
}

const SETTINGS = /^\/api\/settings\/?$/;

const setUpHint = (session: Session, state: HotState) =>
  mustSetUpTotp(session, credentialsOf(session.operatorId, state))
    ? { problem: 'two-factor authentication is required: set it up by POST /api/dashboard-auth/totp/setup/start' }
    : {};

/**
 * Returns the session, with TOTP verified where it is required.
 * @param mayLackTotp whether a session is enough whose TOTP must be set up
 * @throws Refusal `authentication_required` without one | `totp_required`
 */
export function requireVerifiedSession(ctx: AnyContext, state: HotState, mayLackTotp = false): Session {
  const session = ctx.state.client.session ?? refuse('authentication_required');
  const auth = credentialsOf(session.operatorId, state);
  if (isTotpPending(session, auth) || (!mayLackTotp && mustSetUpTotp(session, auth))) {
    return refuse('totp_required', setUpHint(session, state));
  }
  return session;
}

/** For requests while no password is set. @throws Refusal `code` to clients that are not known to be on this machine */
export function requireLocalClient(ctx: AnyContext, code: ErrorCode = 'authentication_required'): void {
  const { notLocalReason } = ctx.state.client;
  if (notLocalReason === undefined) return;
  refuse(code, {
    problem:
      `management accepts only clients on this machine until a password is set, and ${notLocalReason}. ` +
      'Set a password from this machine, or with the setup_token that the service printed at start',
  });
}

function notLocalReason(address: string, headers: IncomingHttpHeaders): string | undefined {
  if (!isLoopback(address)) return `your address is ${address || 'unknown'}`;
  const forwarding = forwardingHeaderIn(headers);
  if (forwarding) return `the request was forwarded (header ${forwarding})`;
  // DNS rebinding: a page can make its own name resolve to 127.0.0.1, but it cannot send another Host than that name.
  const host = headers.host ?? '';
  if (!isAddressOrLocalhost(host)) return `the Host "${host}" is neither an address nor localhost`;
  return undefined;
}

const FORWARDING_HEADERS: ReadonlySet<string> = new Set([
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-original-forwarded-for',
  'x-envoy-external-address',
  'true-client-ip',
  'cf-connecting-ip',
  'cf-connecting-ipv6',
  'fastly-client-ip',
  'fly-client-ip',
  'do-connecting-ip',
  'x-appengine-user-ip',
  'x-azure-clientip',
]);

/** @returns the name of a header that says that a proxy has forwarded the request */
export const forwardingHeaderIn = (headers: IncomingHttpHeaders): string | undefined =>
  Object.keys(headers).find(isForwardingHeader);

const isForwardingHeader = (header: string) => FORWARDING_HEADERS.has(header) || header.startsWith('x-forwarded-');

function isAddressOrLocalhost(host: string): boolean {
  const bracketed = /^\[([^\]]*)\](:\d*)?$/.exec(host);
  const name = bracketed?.[1] ?? host.replace(/:\d*$/, '');
  return isIP(name) > 0 || name.toLowerCase() === 'localhost';
}
