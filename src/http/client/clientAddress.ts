import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { type IpAddress, parseIp } from '../../domain/firewall/ipAddress.ts';
import type { ClientRequest } from './clientRequest.ts';

export interface ClientAddressOptions {
  readonly trustsProxyHeaders: boolean;
  /** Addresses or CIDRs of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  /**
   * Which address in the header is taken as the client's. Behind a proxy that appends to the header, clients can forge their
   * address with `first_valid`, the default, but not with `rightmost_untrusted`.
   */
  readonly mode: 'first_valid' | 'rightmost_untrusted';
}

/** @returns the client's address; undefined only if the socket is closed already */
export type ClientAddress = (request: ClientRequest) => IpAddress | undefined;

/** Determines client addresses for the proxy and management (docs/decisions/0052-client-address.md). */
export function createClientAddress(options: ClientAddressOptions): ClientAddress {
  const isTrusted = createIsTrustedProxy(options);
  // A cache, because an address never changes during a connection and parsing it costs more than a lookup.
  const known = new WeakMap<object, IpAddress>();

  const ofSocket = ({ socket }: ClientRequest): IpAddress | undefined => {
    const cached = known.get(socket);
    if (cached) return cached;
    const address = parseIp(socket.remoteAddress ?? '');
    if (address) known.set(socket, address);
    return address;
  };

  return (request) => {
    const peer = ofSocket(request);
    if (!isTrusted(peer)) return peer;
    const header = request.headers['x-forwarded-for'];
    if (header === undefined) return peer;
    const hops = (Array.isArray(header) ? header.join(',') : header).split(',').map((hop) => parseIp(hop));
    if (options.mode === 'first_valid') return hops.find((hop) => hop !== undefined) ?? peer;
    return rightmostUntrusted(hops, isTrusted) ?? peer;
  };
}

/** @returns a function that tells whether the headers of a peer are trusted */
export function createIsTrustedProxy({
  trustsProxyHeaders,
  trustedProxies,
}: Pick<ClientAddressOptions, 'trustsProxyHeaders' | 'trustedProxies'>): (peer: IpAddress | undefined) => boolean {
  if (!trustsProxyHeaders) return () => false;
  return createIsInRanges(trustedProxies);
}

/**
 * @param ranges addresses, or CIDRs such as `10.0.0.0/8`; both have been checked by `config.ts`
 * @returns a function that tells whether an address is in one of them
 */
export function createIsInRanges(ranges: readonly string[]): (address: IpAddress | undefined) => boolean {
  const list = blockListOf(ranges);
  return (address) => address !== undefined && list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}

/** Walks from the nearest hop outward until one is untrusted; an invalid one ends the walk. */
function rightmostUntrusted(
  hops: readonly (IpAddress | undefined)[],
  isTrusted: (address: IpAddress) => boolean,
): IpAddress | undefined {
  let last: IpAddress | undefined;
  for (const hop of hops.toReversed()) {
    if (!hop) return last;
    last = hop;
    if (!isTrusted(hop)) return hop;
  }
  return last;
}

function blockListOf(cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [address = '', bits] = cidr.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}
