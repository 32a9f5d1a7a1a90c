import { type ClientRequest, request } from 'node:http';
import { connect as connectTcp, isIP, isIPv6, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { isDescriptorErrno } from '../../lib/descriptors/systemDescriptors.ts';
import type { OutgoingProxy } from './outgoingProxy.ts';
import { ProxyFailure } from './proxyFailure.ts';

/** Where a connection leads. The proxy resolves the name. */
export interface Destination {
  readonly host: string;
  readonly port: number;
}

const KEEP_ALIVE_DELAY_MS = 60_000;
const MAX_NEGOTIATION_MS = 15_000;

/**
 * Opens a connection to a destination through a proxy: by CONNECT (RFC 9110 section 9.3.6) for an `http` and an `https` proxy,
 * also to a destination without TLS, or by SOCKS5 (RFC 1928, 1929). The proxy resolves the destination's name.
 * @param signal closes the connection; its reason is thrown
 * @throws ProxyFailure, or the error of the system when it has no file descriptor
 */
export async function openTunnel(proxy: OutgoingProxy, destination: Destination, signal: AbortSignal): Promise<Socket> {
  signal.throwIfAborted();
  if (proxy.protocol === 'unreadable') {
    throw new ProxyFailure('proxy_unreadable', proxy.name, 'of an account has an address that cannot be decrypted');
  }
  const socket = connect(proxy);
  // From here to its use, it needs a listener: an error without a listener would end the process.
  socket.on('error', ignore);
  const destroy = () => socket.destroy();
  signal.addEventListener('abort', destroy, { once: true });
  try {
    await connected(socket, proxy);
    return proxy.protocol === 'socks5'
      ? await negotiateSocks(socket, proxy, destination)
      : await requestConnect(socket, proxy, destination);
  } catch (error) {
    socket.destroy();
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', destroy);
  }
}

const ignore = () => undefined;

function connect({ protocol, host, port }: OutgoingProxy): Socket {
  const address = { host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_DELAY_MS };
  if (protocol !== 'https') return connectTcp(address);
  return connectTls({ ...address, ALPNProtocols: ['http/1.1'], ...(isIP(host) ? {} : { servername: host }) });
}

function connected(socket: Socket, proxy: OutgoingProxy): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let hasTcp = false;
  socket.once('connect', () => {
    hasTcp = true;
  });
  socket.once(proxy.protocol === 'https' ? 'secureConnect' : 'connect', resolve);
  socket.once('error', (error: NodeJS.ErrnoException) => {
    // svc itself has no file descriptor left.
    if (isDescriptorErrno(error.code)) reject(error);
    const isTls = proxy.protocol === 'https' && hasTcp;
    const [code, problem] = isTls
      ? (['proxy_tls', 'cannot be spoken to by TLS'] as const)
      : (['proxy_unreachable', 'cannot be reached'] as const);
    reject(new ProxyFailure(code, proxy.name, `${problem} (${error.code ?? error.message})`, error.code));
  });
  socket.once('close', () => reject(new ProxyFailure('proxy_closed', proxy.name, 'closed the connection')));
  return promise;
}

/** Node's own HTTP client reads the response, with its limits. */
function requestConnect(socket: Socket, proxy: OutgoingProxy, { host, port }: Destination): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const authority = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const headers = { host: authority, 'proxy-connection': 'keep-alive', ...authorizationOf(proxy) };
  const connecting: ClientRequest = request({
    method: 'CONNECT',
    path: authority,
    headers,
    createConnection: () => socket,
  });
  connecting.removeHeader('connection');
  connecting.on('connect', ({ statusCode = 0 }, _, head) => {
    if (statusCode < 200 || statusCode > 299) {
      reject(refusedConnect(proxy, statusCode));
      return;
    }
    if (head.length > 0) socket.unshift(head);
    resolve(socket);
  });
  connecting.on('error', (error: NodeJS.ErrnoException) => reject(closedEarly(proxy, error)));
  connecting.end();
  return promise;
}

const authorizationOf = ({ credentials }: OutgoingProxy): Record<string, string> =>
  credentials === undefined
    ? {}
    : {
        'proxy-authorization': `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`,
      };

function refusedConnect({ name }: OutgoingProxy, status: number): ProxyFailure {
  if (status === 407) return new ProxyFailure('proxy_auth_required', name, 'demands authentication (407)');
  // 500 and above: the proxy tried, or it is overloaded.
  if (status >= 500) return new ProxyFailure('proxy_no_route', name, `cannot connect to the provider (${status})`);
  return new ProxyFailure('proxy_refused', name, `does not allow connections to the provider (${status})`);
}

function closedEarly({ name }: OutgoingProxy, { code }: NodeJS.ErrnoException): ProxyFailure {
  return code?.startsWith('HPE_')
    ? new ProxyFailure('proxy_closed', name, 'does not speak HTTP')
    : new ProxyFailure('proxy_closed', name, 'closed the connection before it was open', code);
}

async function negotiateSocks(
  socket: Socket,
  { host, port, name, credentials }: OutgoingProxy,
  destination: Destination,
): Promise<Socket> {
  if (Buffer.byteLength(destination.host) > 255) {
    throw new ProxyFailure('proxy_refused', name, 'cannot be given a host name of more than 255 bytes');
  }
  // Imported on demand: few installations use it.
  const { SocksClient } = await import('socks');
  try {
    await SocksClient.createConnection({
      command: 'connect',
      destination: { ...destination },
      proxy: {
        type: 5,
        host,
        port,
        ...(credentials && { userId: credentials.username, password: credentials.password }),
      },
      existing_socket: socket,
      // The caller's signal ends it earlier. Not longer, because the library keeps its timer after a success.
      timeout: MAX_NEGOTIATION_MS,
    });
    return socket;
  } catch (error) {
    // The library's error holds the credentials, so it is no cause of ours.
    throw socksFailure(name, (error as Error).message);
  }
}

/** @param message the library's texts, of which only the reply is shown */
function socksFailure(name: string, message: string): ProxyFailure {
  if (/authentication/i.test(message)) {
    const problem = 'demands authentication, or does not accept the user name and password';
    return new ProxyFailure('proxy_auth_required', name, problem);
  }
  const reply = /rejected connection - \(?(\w+)\)?/i.exec(message)?.[1] ?? '';
  if (reply === 'NotAllowed') {
    return new ProxyFailure('proxy_refused', name, 'does not allow connections to the provider');
  }
  if (reply !== '' && reply !== 'undefined') {
    return new ProxyFailure('proxy_no_route', name, `cannot connect to the provider (${reply})`);
  }
  return new ProxyFailure('proxy_closed', name, 'closed the connection, or does not speak SOCKS5');
}
