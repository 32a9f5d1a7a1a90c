/** A proxy for calls to the provider. */
export interface OutgoingProxy {
  /** `unreadable`: its address cannot be decrypted, so every call through it fails. */
  readonly protocol: 'http' | 'https' | 'socks5' | 'unreadable';
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
  readonly credentials: { readonly username: string; readonly password: string } | undefined;
  /** Host and port: the only part of the address that events, responses and output show. */
  readonly name: string;
}

/** Stands for an address that cannot be decrypted: the calls must not leave directly. */
export const unreadableProxy: OutgoingProxy = {
  protocol: 'unreadable',
  host: '',
  port: 0,
  credentials: undefined,
  name: 'unreadable',
};

/** An address that cannot be used. The message does not quote it, because it may contain a password. */
export class InvalidProxyAddress extends Error {
  override readonly name = 'InvalidProxyAddress';
}

const PROTOCOLS: Readonly<Record<string, { protocol: OutgoingProxy['protocol']; port: number }>> = {
  'http:': { protocol: 'http', port: 80 },
  'https:': { protocol: 'https', port: 443 },
  'socks5:': { protocol: 'socks5', port: 1080 },
  'socks5h:': { protocol: 'socks5', port: 1080 },
  'socks:': { protocol: 'socks5', port: 1080 },
};

/** Longer than any address in use; an event keeps it. */
const MAX_CHARACTERS = 2_048;
/** RFC 1929: each length is one byte. */
const MAX_SOCKS_CREDENTIAL_BYTES = 255;

/**
 * Parses the address of a proxy: `http`, `https` or `socks5` (also written `socks5h`), with user name and password if it needs
 * them. Without a scheme it is `http`, as for curl.
 * @throws InvalidProxyAddress with the predicate of a sentence, e.g. "must not have a path"
 */
export function parseOutgoingProxy(text: string): OutgoingProxy {
  if (text.length > MAX_CHARACTERS) throw new InvalidProxyAddress(`must have at most ${MAX_CHARACTERS} characters`);
  const url = parseUrl(text);
  const known = url && Object.hasOwn(PROTOCOLS, url.protocol) ? PROTOCOLS[url.protocol] : undefined;
  if (!url || !known || url.hostname === '') {
    throw new InvalidProxyAddress(
      'must be the address of an http, https or socks5 proxy such as http://proxy.example:3128',
    );
  }
  if ((url.pathname !== '' && url.pathname !== '/') || url.search !== '' || url.hash !== '') {
    throw new InvalidProxyAddress('must end after the port');
  }
  const { protocol } = known;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = url.port === '' ? known.port : Number(url.port);
  if (port === 0) throw new InvalidProxyAddress('must not have the port 0');
  const name = `${url.hostname}:${port}`;
  return { protocol, host, port, credentials: credentialsIn(url, protocol), name };
}

function parseUrl(text: string): URL | undefined {
  if (/[\s\\]/.test(text)) return undefined;
  return URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`) ?? undefined;
}

function credentialsIn(url: URL, protocol: OutgoingProxy['protocol']): OutgoingProxy['credentials'] {
  if (url.username === '' && url.password === '') return undefined;
  let username: string;
  let password: string;
  try {
    username = decodeURIComponent(url.username);
    password = decodeURIComponent(url.password);
  } catch {
    throw new InvalidProxyAddress('has a user name or password with an invalid %-escape: write % as %25');
  }
  if (protocol === 'socks5') {
    const isTooLong = [username, password].some((part) => Buffer.byteLength(part) > MAX_SOCKS_CREDENTIAL_BYTES);
    if (isTooLong) throw new InvalidProxyAddress('has a user name or password of more than 255 bytes');
  } else if (username.includes(':')) {
    throw new InvalidProxyAddress('has a user name with a colon, which a proxy takes for the start of the password');
  }
  return { username, password };
}
