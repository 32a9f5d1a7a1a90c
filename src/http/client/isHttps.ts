import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { parseIp } from '../../domain/firewall/ipAddress.ts';
import { type ClientAddressOptions, createIsTrustedProxy } from './clientAddress.ts';

/** Detects whether the client uses HTTPS: to svc itself, or to a trusted proxy that sends `X-Forwarded-Proto: https`. */
export function createIsHttps(
  options: Pick<ClientAddressOptions, 'trustsProxyHeaders' | 'trustedProxies'>,
): (request: IncomingMessage) => boolean {
  const isTrustedProxy = createIsTrustedProxy(options);
  return ({ socket, headers }) => {
    if ((socket as Partial<TLSSocket>).encrypted) return true;
    if (!isTrustedProxy(parseIp(socket.remoteAddress ?? ''))) return false;
    const forwarded = headers['x-forwarded-proto'];
    // The first value is the client's scheme; proxies append their own.
    const [scheme = ''] = String(forwarded ?? '').split(',');
    return scheme.trim().toLowerCase() === 'https';
  };
}
