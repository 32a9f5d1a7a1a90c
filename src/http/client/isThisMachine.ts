import { parseIp } from '../../domain/firewall/ipAddress.ts';
import { type ClientAddressOptions, createIsTrustedProxy } from './clientAddress.ts';
import type { ClientRequest } from './clientRequest.ts';

/** Whether an address, which may be an IPv4-mapped IPv6 one, is of the loopback interface. */
export const isLoopback = (address: string): boolean =>
  address === '127.0.0.1' || address === '::1' || /^(::ffff:)?127\.\d+\.\d+\.\d+$/i.test(address);

/** Whether only clients on this machine reach a server that listens on `host`. */
export const isLoopbackHost = (host: string): boolean =>
  isLoopback(parseIp(host) ?? '') || host.toLowerCase() === 'localhost';

/**
 * @returns a function that tells whether a client is known to run on this machine. In a container only what runs in it does: the
 * address of a forwarded port is that of the bridge. Of `X-Forwarded-For` of a trusted proxy every address must be a loopback
 * one, because by `first_valid` a client could put one in front
 */
export function createIsThisMachine(options: Omit<ClientAddressOptions, 'mode'>): (request: ClientRequest) => boolean {
  const isTrustedProxy = createIsTrustedProxy(options);
  return ({ socket, headers }) => {
    const peer = socket.remoteAddress ?? '';
    if (!isLoopback(peer)) return false;
    const forwarded = headers['x-forwarded-for'];
    if (forwarded === undefined || !isTrustedProxy(parseIp(peer))) return true;
    return String(forwarded)
      .split(',')
      .map((hop) => hop.trim())
      .every((hop) => hop === '' || isLoopback(parseIp(hop) ?? ''));
  };
}
