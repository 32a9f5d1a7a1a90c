import { isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls, createSecureContext, type SecureContext } from 'node:tls';
import { openTunnel } from './openTunnel.ts';
import type { OutgoingProxy } from './outgoingProxy.ts';
import { ProxyFailure } from './proxyFailure.ts';

/**
 * Opens a connection to an origin through a proxy, TLS included. Its listener for `error` ignores errors.
 * @param signal closes what was opened so far
 * @throws ProxyFailure, or the reason of the signal
 */
export type OpenProxiedConnection = (signal?: AbortSignal) => Promise<Socket>;

export interface ProxiedConnectionOptions {
  /** `http:` or `https:` with host and port. */
  readonly origin: URL;
  readonly proxy: OutgoingProxy;
  /** Includes the connection to the proxy and both TLS handshakes. */
  readonly timeoutMs: number;
  /** Certificate authorities to trust instead of the default ones, PEM. */
  readonly ca?: string | undefined;
}

/** Creates the opener for one origin and proxy. It resumes TLS sessions. */
export function createProxiedConnection({
  origin,
  proxy,
  timeoutMs,
  ca,
}: ProxiedConnectionOptions): OpenProxiedConnection {
  const isSecure = origin.protocol === 'https:';
  const host = origin.hostname.replace(/^\[(.*)\]$/, '$1');
  const destination = { host, port: Number(origin.port) || (isSecure ? 443 : 80) };
  let secureContext: SecureContext | undefined;
  let session: Buffer | undefined;

  async function secure(tunnel: Socket, signal: AbortSignal): Promise<Socket> {
    secureContext ??= createSecureContext(ca === undefined ? {} : { ca });
    const names = isIP(host) ? { host } : { host, servername: host };
    const options = { ...names, socket: tunnel, secureContext, session, ALPNProtocols: ['http/1.1'] };
    const socket = connectTls(options as ConnectionOptions).on('error', () => undefined);
    socket.on('session', (ticket) => {
      session = ticket;
    });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const destroy = () => socket.destroy();
    const fail = (error: NodeJS.ErrnoException) => reject(tlsFailure(proxy, error));
    const onClose = () =>
      reject(new ProxyFailure('proxy_closed', proxy.name, 'closed the connection during the TLS handshake'));
    signal.addEventListener('abort', destroy, { once: true });
    socket.once('secureConnect', resolve).once('error', fail).once('close', onClose);
    try {
      await promise;
      return socket;
    } catch (error) {
      socket.destroy();
      tunnel.destroy();
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', destroy);
      socket.off('error', fail).off('close', onClose);
    }
  }

  return async (signal) => {
    const timeout = new AbortController();
    const onTimeout = () => {
      const problem = `did not open a connection to the provider within ${timeoutMs} ms`;
      timeout.abort(new ProxyFailure('proxy_timeout', proxy.name, problem));
    };
    const timer = setTimeout(onTimeout, timeoutMs);
    const ended = signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal;
    try {
      const tunnel = await openTunnel(proxy, destination, ended);
      return isSecure ? await secure(tunnel, ended) : tunnel;
    } finally {
      clearTimeout(timer);
    }
  };
}

function tlsFailure({ name }: OutgoingProxy, { code, message }: NodeJS.ErrnoException): ProxyFailure {
  if (code === 'ECONNRESET') {
    return new ProxyFailure('proxy_closed', name, 'closed the connection during the TLS handshake', code);
  }
  return new ProxyFailure('proxy_tls', name, `leads to a server whose TLS failed (${code ?? message})`, code);
}
