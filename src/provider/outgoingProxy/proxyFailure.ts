/**
 * Why a connection through a proxy could not be opened. `proxy_unreachable`: no connection to the proxy; `proxy_auth_required`: it
 * does not accept the credentials; `proxy_refused`: it does not allow the destination; `proxy_no_route`: it says that it cannot
 * reach the destination; `proxy_timeout`: it did not respond in time; `proxy_closed`: it closed the connection, or does not speak
 * the protocol; `proxy_tls`: TLS failed, with the proxy or through it; `proxy_unreadable`: the account's address cannot be decrypted.
 */
export type ProxyFailureCode =
  | 'proxy_unreachable'
  | 'proxy_auth_required'
  | 'proxy_refused'
  | 'proxy_no_route'
  | 'proxy_timeout'
  | 'proxy_closed'
  | 'proxy_tls'
  | 'proxy_unreadable';

const REMEDIES: Readonly<Record<ProxyFailureCode, string>> = {
  proxy_unreachable: 'Check that it runs and that this machine reaches it.',
  proxy_auth_required: 'Correct the user name and password in its address.',
  proxy_refused: "Allow the provider's hosts in the proxy.",
  proxy_no_route: 'Check its DNS and its way to the provider.',
  proxy_timeout: 'Check its load and its way to the provider.',
  proxy_closed: 'Check the scheme of its address (http, https or socks5) and what the proxy logs.',
  proxy_tls: 'If it inspects TLS, or has a certificate of its own, name its authority in NODE_EXTRA_CA_CERTS.',
  proxy_unreadable: "Set the account's proxy again.",
};

/** Whether a code recorded for a failed call is one of a proxy. */
export const isProxyFailureCode = (code: string): boolean => Object.hasOwn(REMEDIES, code);

/** No connection to the provider, because of the proxy. Says nothing about the account. */
export class ProxyFailure extends Error {
  override readonly name = 'ProxyFailure';
  readonly code: ProxyFailureCode;
  /** Host and port of the proxy. */
  readonly proxy: string;
  /** What happened, as the rest of a sentence about the proxy; names neither its address nor its credentials. */
  readonly problem: string;
  /** The system's error, for example `ECONNREFUSED`. */
  readonly errno: string | undefined;

  constructor(code: ProxyFailureCode, proxy: string, problem: string, errno?: string) {
    super(`the proxy ${proxy} ${problem}`);
    this.code = code;
    this.proxy = proxy;
    this.problem = problem;
    this.errno = errno;
  }
}

/** @returns what the operator can do, in a sentence */
export const remedyOf = ({ code }: ProxyFailure): string => REMEDIES[code];
