import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { ErrorCode } from '../../domain/core/errorCodes.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { hasVerifiedTotp, isSessionValid, isTotpPending } from '../../domain/dashboardAuth/sessionChecks.ts';
import type { DashboardAuth } from '../../domain/dashboardAuth/state.ts';
import { parseIp } from '../../domain/firewall/ipAddress.ts';
import type { Session } from '../../domain/session/state.ts';
import { isLoopback } from '../../http/client/isThisMachine.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { type AnyContext, isWrite, type ManagementMiddleware } from '../http/context.ts';
import type { Views } from '../http/views.ts';
import { createClientSealer } from './clientSealer.ts';
import type { SessionCookie } from './sessionCookie.ts';

/** Derives addresses and scheme from a request; depends on the trusted proxies, and tests replace it. */
export interface ConnectionInfo {
  /** The address of the peer. */
  readonly remoteAddress?: (request: IncomingMessage) => string | undefined;
  /** The address of the client, as a trusted proxy forwards it; by default that of the peer. */
  readonly clientAddress?: (request: IncomingMessage) => string | undefined;
  /** Whether the client uses HTTPS, to this service or to a trusted proxy. */
  readonly isHttps?: (request: IncomingMessage) => boolean;
}

const NOT_RECORDED = { address: null, userAgent: null };
/** Each event of an operator keeps both. */
const MAX_ADDRESS_CHARACTERS = 100;
const MAX_USER_AGENT_CHARACTERS = 500;

interface IdentifyClientOptions extends Pick<Capabilities, 'views' | 'now' | 'vault'> {
  readonly cookie: Pick<SessionCookie, 'read'>;
  readonly connection: ConnectionInfo;
}

/** Sets `ctx.state.client` and `ctx.state.cause`; refuses no request. */
export function identifyClient({ views, now, vault, cookie, connection }: IdentifyClientOptions): ManagementMiddleware {
  const { remoteAddress = (request) => request.socket.remoteAddress, clientAddress = remoteAddress } = connection;
  const sealClient = createClientSealer(vault);
  return async (ctx, next) => {
    const { dashboardAuth, sessions } = views.current;
    const known = sessions.get(cookie.read(ctx) ?? '');
    const session = known && isSessionValid(known, dashboardAuth, now()) ? known : undefined;
    const rawAddress = (clientAddress(ctx.req) ?? '').slice(0, MAX_ADDRESS_CHARACTERS);
    const address = parseIp(rawAddress) ?? rawAddress;
    ctx.state.client = {
      address,
      notLocalReason: notLocalReason(remoteAddress(ctx.req) ?? '', ctx.headers),
      session,
    };
    const usedTotp = session !== undefined && hasVerifiedTotp(session, dashboardAuth);
    const userAgent = ctx.get('user-agent').slice(0, MAX_USER_AGENT_CHARACTERS) || null;
    ctx.state.cause = {
      // A read causes no event, and must not need the vault.
      actor: {
        kind: 'operator',
        sessionId: session?.id ?? null,
        ...(isWrite(ctx) ? await sealClient(address, userAgent) : NOT_RECORDED),
        usedTotp,
      },
      correlationId: ctx.state.requestId,
    };
    return next();
  };
}

/**
 * Lets through clients with a session (docs/decisions/0040-dashboard-sessions.md) and, while no password is set, clients
 * on this machine (docs/decisions/0039-no-password-yet.md). Every route mounted after it is protected.
 * @throws Refusal `authentication_required`, on settings `unauthorized` | `totp_required`
 */
export const requireSession =
  ({ views }: Pick<Capabilities, 'views'>): ManagementMiddleware =>
  (ctx, next) => {
    checkSession(views.current, ctx);
    return next();
  };

/** As `requireSession`, for a route that also admits other clients. @throws Refusal */
export function checkSession({ dashboardAuth }: Pick<Views['current'], 'dashboardAuth'>, ctx: AnyContext): void {
  const code = SETTINGS.test(ctx.path) ? 'unauthorized' : 'authentication_required';
  if (dashboardAuth.password) requireVerifiedSession(ctx, dashboardAuth, code);
  else requireLocalClient(ctx, code);
}

const SETTINGS = /^\/api\/settings\/?$/;

/** Returns the session, with TOTP verified where it is required. @throws Refusal `code` without one | `totp_required` */
export function requireVerifiedSession(
  ctx: AnyContext,
  auth: DashboardAuth,
  code: ErrorCode = 'authentication_required',
): Session {
  const session = ctx.state.client.session ?? refuse(code);
  return isTotpPending(session, auth) ? refuse('totp_required') : session;
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
  const forwarding = Object.keys(headers).find(isForwardingHeader);
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

const isForwardingHeader = (header: string) => FORWARDING_HEADERS.has(header) || header.startsWith('x-forwarded-');

function isAddressOrLocalhost(host: string): boolean {
  const bracketed = /^\[([^\]]*)\](:\d*)?$/.exec(host);
  const name = bracketed?.[1] ?? host.replace(/:\d*$/, '');
  return isIP(name) > 0 || name.toLowerCase() === 'localhost';
}
