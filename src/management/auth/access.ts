import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import type { ErrorCode } from '../../domain/core/errorCodes.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { DashboardAuth } from '../../domain/dashboardAuth/state.ts';
import { parseIp } from '../../domain/firewall/ipAddress.ts';
import { hasVerifiedTotp, isTotpPending, isValid, type Session } from '../../domain/session/state.ts';
import type { Management } from '../app.ts';
import type { AnyContext, ManagementMiddleware } from '../http/context.ts';
import type { SessionCookie } from './sessionCookie.ts';

interface IdentifyOptions extends Pick<Management, 'hot' | 'now' | 'remoteAddress' | 'clientAddress'> {
  readonly cookie: Pick<SessionCookie, 'read'>;
}

/** Finds out who asks; refuses nobody. */
export const identify =
  ({
    hot,
    now,
    cookie,
    remoteAddress = (request) => request.socket.remoteAddress,
    clientAddress = remoteAddress,
  }: IdentifyOptions): ManagementMiddleware =>
  (ctx, next) => {
    const { dashboardAuth, sessions } = hot.state;
    const known = sessions.get(cookie.read(ctx) ?? '');
    const session = known && isValid(known, dashboardAuth, now()) ? known : undefined;
    const given = clientAddress(ctx.req) ?? '';
    const address = parseIp(given) ?? given;
    ctx.state.client = { address, whyNotLocal: whyNotLocal(remoteAddress(ctx.req) ?? '', ctx.headers), session };
    const usedTotp = session !== undefined && hasVerifiedTotp(session, dashboardAuth);
    const userAgent = ctx.get('user-agent') || null;
    ctx.state.cause = {
      actor: { kind: 'operator', sessionId: session?.id ?? null, address, userAgent, usedTotp },
      correlationId: ctx.state.requestId,
    };
    return next();
  };

/**
 * Lets through whoever is signed in and, while there is no password, whoever sits at this machine (design.md section 5,
 * "no session", "no password yet"). What stands behind it is closed unless this opens it.
 * @throws Refusal `authentication_required`, on settings `unauthorized` | `totp_required`
 */
export const requireSession =
  ({ hot }: Pick<Management, 'hot'>): ManagementMiddleware =>
  (ctx, next) => {
    const { dashboardAuth } = hot.state;
    const code = SETTINGS.test(ctx.path) ? 'unauthorized' : 'authentication_required';
    if (dashboardAuth.password) sessionOf(ctx, dashboardAuth, code);
    else requireLocalClient(ctx, code);
    return next();
  };

const SETTINGS = /^\/api\/settings\/?$/;

/** @throws Refusal `code` without a session | `totp_required` */
export function sessionOf(ctx: AnyContext, auth: DashboardAuth, code: ErrorCode = 'authentication_required'): Session {
  const session = ctx.state.client.session ?? refuse(code);
  return isTotpPending(session, auth) ? refuse('totp_required') : session;
}

/** While there is no password. @throws Refusal `code` to clients who are not known to sit at this machine */
export function requireLocalClient(ctx: AnyContext, code: ErrorCode = 'authentication_required'): void {
  const { whyNotLocal } = ctx.state.client;
  if (whyNotLocal === undefined) return;
  refuse(code, {
    problem:
      `management is open only to clients on this machine until a password is set: ${whyNotLocal}. ` +
      'Set one from this machine, or with the setup_token that the service printed at start',
  });
}

function whyNotLocal(address: string, headers: IncomingHttpHeaders): string | undefined {
  if (!isLoopback(address)) return `you call from ${address || 'an unknown address'}`;
  const forwarding = Object.keys(headers).find(saysForwarded);
  if (forwarding) return `the request was forwarded (header ${forwarding})`;
  // A page may have its own name resolve to 127.0.0.1 (DNS rebinding); it cannot do so with an address or localhost.
  const host = headers.host ?? '';
  if (!isAddressOrLocalhost(host)) return `the Host "${host}" is neither an address nor localhost`;
  return undefined;
}

const isLoopback = (address: string) => address === '::1' || /^(::ffff:)?127\.\d+\.\d+\.\d+$/i.test(address);

const FORWARDING: ReadonlySet<string> = new Set([
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

const saysForwarded = (header: string) => FORWARDING.has(header) || header.startsWith('x-forwarded-');

function isAddressOrLocalhost(host: string): boolean {
  const bracketed = /^\[([^\]]*)\](:\d*)?$/.exec(host);
  const name = bracketed?.[1] ?? host.replace(/:\d*$/, '');
  return isIP(name) > 0 || name.toLowerCase() === 'localhost';
}
