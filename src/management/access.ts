import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { refuse } from '../domain/refusal.ts';
import type { ManagementMiddleware } from './context.ts';

interface AccessOptions {
  readonly remoteAddress?: (request: IncomingMessage) => string | undefined;
}

/**
 * Until the dashboard has sessions, management answers callers on this machine and nobody else (design.md section 5,
 * "no password yet"). Whoever passes is the operator.
 * @throws Refusal `authentication_required`, on settings `unauthorized`
 */
export const localCallersOnly =
  ({ remoteAddress = (request) => request.socket.remoteAddress }: AccessOptions): ManagementMiddleware =>
  (ctx, next) => {
    const address = remoteAddress(ctx.req) ?? '';
    const reason = whyNotLocal(address, ctx.headers);
    if (reason) {
      refuse(SETTINGS.test(ctx.path) ? 'unauthorized' : 'authentication_required', {
        problem: `management is open only to callers on this machine until a password can be set: ${reason}`,
      });
    }
    const userAgent = ctx.get('user-agent') || null;
    ctx.state.cause = {
      actor: { kind: 'operator', sessionId: null, address, userAgent, usedTotp: false },
      correlationId: ctx.state.requestId,
    };
    return next();
  };

const SETTINGS = /^\/api\/settings\/?$/;

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
