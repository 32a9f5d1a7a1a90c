import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/**
 * Addresses of the link and those under which clouds serve the credentials of a machine: a URL that leads there asks svc to hand
 * them out (AWS, Azure, Google: 169.254.169.254; AWS: fd00:ec2::254, and ::23 for pods; Google: fd20:ce::254; Azure's wire server:
 * 168.63.129.16; Alibaba: 100.100.100.200; Oracle: 192.0.0.192). A NAT64 network leads from 64:ff9b::/96 to IPv4.
 */
const FORBIDDEN = new BlockList();
FORBIDDEN.addSubnet('169.254.0.0', 16, 'ipv4');
FORBIDDEN.addSubnet('fe80::', 10, 'ipv6');
FORBIDDEN.addAddress('fd00:ec2::254', 'ipv6');
FORBIDDEN.addAddress('fd00:ec2::23', 'ipv6');
FORBIDDEN.addAddress('fd20:ce::254', 'ipv6');
FORBIDDEN.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6');
FORBIDDEN.addAddress('168.63.129.16', 'ipv4');
FORBIDDEN.addAddress('100.100.100.200', 'ipv4');
FORBIDDEN.addAddress('192.0.0.192', 'ipv4');

/** A URL leads to an address that svc does not send to. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
  constructor(host: string, address: string) {
    super(
      `${host === address ? host : `${host} (${address})`} is a link-local or metadata address, to which svc sends nothing ` +
        'unless SVC_ALLOW_LINK_LOCAL=true',
    );
  }
}

/** Whether an IP address is of the link or of a cloud's metadata, also as an IPv4 address inside IPv6. */
export function isForbiddenAddress(address: string): boolean {
  const [bare = ''] = address.split('%', 1);
  const family = isIP(bare);
  return family !== 0 && FORBIDDEN.check(bare, family === 6 ? 'ipv6' : 'ipv4');
}

/** @throws ForbiddenAddress when the host of a URL is such an address itself; names are checked by `checkedLookup` */
export function requireAllowedHost({ hostname }: URL): void {
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isForbiddenAddress(address)) throw new ForbiddenAddress(address, address);
}

/**
 * Resolves a name as `dns.lookup` does, and fails when one of its addresses is forbidden: checked on the very addresses that the
 * connection uses, so that a name cannot change in between.
 */
export const checkedLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, options, (error, found, family) => {
    const addresses = (Array.isArray(found) ? found : [{ address: found }]) as { readonly address: string }[];
    const forbidden = error ? undefined : addresses.find(({ address }) => isForbiddenAddress(address));
    callback(forbidden ? new ForbiddenAddress(hostname, forbidden.address) : error, found, family);
  });
};

/**
 * Checks the name of a URL that a proxy calls. The proxy resolves it once more, maybe to something else, so this keeps off mistakes and names
 * that are made for it; a proxy that must be trusted with more has rules of its own. A name that only the proxy can resolve passes.
 * @throws ForbiddenAddress when the name resolves to a forbidden address here
 */
export async function requireAllowedName({ hostname }: URL, resolve: LookupFunction): Promise<void> {
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return;
  const error = await new Promise<Error | null>((done) => resolve(hostname, { all: true }, done));
  if (error instanceof ForbiddenAddress) throw error;
}
