import type { IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { parseIp } from '../../domain/firewall/ipAddress.ts';
import { blockListOf, type ClientAddressOptions } from './clientAddress.ts';

/** Detects whether the client uses HTTPS: to svc itself, or to a trusted proxy that sends `X-Forwarded-Proto: https`. */
export function createIsHttps({
  trustsProxyHeaders,
  trustedProxies,
}: Pick<ClientAddressOptions, 'trustsProxyHeaders' | 'trustedProxies'>): (request: IncomingMessage) => boolean {
  const trusted = blockListOf(trustedProxies);
  return ({ socket, headers }) => {
    if ((socket as Partial<TLSSocket>).encrypted) return true;
    const peer = parseIp(socket.remoteAddress ?? '');
    if (!trustsProxyHeaders || !peer || !trusted.check(peer, isIPv4(peer) ? 'ipv4' : 'ipv6')) return false;
    const forwarded = headers['x-forwarded-proto'];
    // The first value is the client's scheme; proxies append their own.
    const [scheme = ''] = String(forwarded ?? '').split(',');
    return scheme.trim().toLowerCase() === 'https';
  };
}
