import { BlockList, isIP } from 'node:net';

/** A destination that is called directly although a proxy is set. */
interface Exception {
  readonly matches: (host: string) => boolean;
  /** Undefined: any port. */
  readonly port: number | undefined;
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * Reads `NO_PROXY`, as curl and undici do: entries separated by commas or spaces; `*` for every destination; `example.com` and
 * `.example.com` for the host and all below it, `*.example.com` only for those below; an address, or a CIDR such as `10.0.0.0/8`;
 * each with `:port` for that port only. A destination is compared as the URL names it: names are not resolved.
 */
export function createNoProxy(text: string): (destination: URL) => boolean {
  const exceptions = text.split(/[,\s]+/).flatMap((entry) => (entry === '' ? [] : [parseEntry(entry.toLowerCase())]));
  return ({ protocol, hostname, port }) => {
    const host = hostname
      .toLowerCase()
      .replace(/^\[(.*)\]$/, '$1')
      .replace(/(.)\.$/, '$1');
    const destinationPort = Number(port || DEFAULT_PORTS[protocol]);
    return exceptions.some((entry) => (entry.port ?? destinationPort) === destinationPort && entry.matches(host));
  };
}

function parseEntry(entry: string): Exception {
  const { name, port } = splitPort(entry);
  return { matches: matcherOf(name), port };
}

/** An IPv6 address with a port has brackets; without them its colons do not begin a port. */
function splitPort(entry: string): { name: string; port: number | undefined } {
  const [, bracketed, bracketedPort] = /^\[([^\]]*)\](?::(\d+))?$/.exec(entry) ?? [];
  if (bracketed !== undefined) return { name: bracketed, port: portIn(bracketedPort) };
  const [, name, port] = /^([^:]+):(\d+)$/.exec(entry) ?? [];
  return name === undefined ? { name: entry, port: undefined } : { name, port: portIn(port) };
}

const portIn = (digits: string | undefined) => (digits === undefined ? undefined : Number(digits));

function matcherOf(name: string): (host: string) => boolean {
  if (name === '*') return () => true;
  const [address = '', bits] = name.split('/');
  const version = isIP(address);
  if (version !== 0) return addressMatcher(address, version, bits);
  const suffix = name.replace(/^\*?\./, '').replace(/(.)\.$/, '$1');
  const isOnlyBelow = name.startsWith('*.');
  return (host) => isIP(host) === 0 && ((!isOnlyBelow && host === suffix) || host.endsWith(`.${suffix}`));
}

function addressMatcher(address: string, version: number, bits: string | undefined): (host: string) => boolean {
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const max = version === 4 ? 32 : 128;
  const prefix = bits === undefined ? max : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.POSITIVE_INFINITY;
  if (prefix > max) return () => false;
  const list = new BlockList();
  list.addSubnet(address, prefix, family);
  return (host) => {
    const hostVersion = isIP(host);
    return hostVersion !== 0 && list.check(host, hostVersion === 4 ? 'ipv4' : 'ipv6');
  };
}
