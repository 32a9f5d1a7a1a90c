import { once } from 'node:events';
import { connect as connectTcp, isIP, type Socket, type TcpNetConnectOpts } from 'node:net';
import { type ConnectionOptions, connect as connectTls, createSecureContext } from 'node:tls';
import type { UpstreamPoolOptions } from '../upstreamPool.ts';

/** Opens a connection. @param onRead called with received bytes, in memory that the next read overwrites */
export type OpenSocket = (onRead: (bytes: Buffer) => void) => Socket;

/** Opens a connection that emits `data` if there is no `onRead`. */
type OpenAnySocket = (onRead?: Parameters<OpenSocket>[0]) => Socket;

/** As much as typically waits on a busy connection. */
const TCP_READ_BYTES = 65_536;
/** The maximum size of a TLS record. */
const TLS_READ_BYTES = 16_384;
const KEEP_ALIVE_DELAY_MS = 60_000;

/** Opens connections to one origin. Reads go into preallocated memory instead of a new buffer for each. */
export function createSocketOpener({
  origin,
  connectTimeoutMs,
  ca,
}: Pick<UpstreamPoolOptions, 'origin' | 'connectTimeoutMs' | 'ca'>): OpenAnySocket {
  const isSecure = origin.protocol === 'https:';
  const host = origin.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = Number(origin.port) || (isSecure ? 443 : 80);
  const address = { host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_DELAY_MS };
  const open = isSecure ? createTlsOpener(address, ca) : createTcpOpener(address);
  return (onRead) => {
    const socket = open(onRead);
    const timeOut = () => {
      const message = `no connection to ${origin.host} within ${connectTimeoutMs} ms`;
      socket.destroy(Object.assign(new Error(message), { code: 'ETIMEDOUT' }));
    };
    const timer = setTimeout(timeOut, connectTimeoutMs);
    const stop = () => clearTimeout(timer);
    return socket.once(isSecure ? 'secureConnect' : 'connect', stop).once('close', stop);
  };
}

/**
 * Creates the opener of direct connections that emit `data`, for websockets.
 * @returns resolves with a connection whose handshakes are complete
 */
export function createDirectOpener(
  options: Parameters<typeof createSocketOpener>[0],
): (signal: AbortSignal) => Promise<Socket> {
  const open = createSocketOpener(options);
  const ready = options.origin.protocol === 'https:' ? 'secureConnect' : 'connect';
  return async (signal) => {
    const socket = open();
    try {
      await once(socket, ready, { signal });
      return socket;
    } catch (error) {
      socket.on('error', () => undefined).destroy();
      throw error;
    }
  };
}

/** Takes over a connection that is open already. Its reads get new memory: Node reads into given memory only of its own sockets. */
export const readingFrom =
  (socket: Socket): OpenSocket =>
  (onRead) =>
    socket.on('data', onRead);

function createTcpOpener(address: TcpNetConnectOpts): OpenAnySocket {
  // All connections share the memory: a read is processed before the next one of any connection begins.
  const buffer = Buffer.allocUnsafeSlow(TCP_READ_BYTES);
  return (onRead) =>
    connectTcp({ ...address, ...(onRead && { onread: { buffer, callback: toReadCallback(onRead) } }) });
}

function createTlsOpener(address: TcpNetConnectOpts, ca: string | undefined): OpenAnySocket {
  const secureContext = createSecureContext(ca === undefined ? {} : { ca });
  const names = isIP(address.host ?? '') ? {} : { servername: address.host };
  let session: Buffer | undefined;
  return (onRead) => {
    // Each connection has memory of its own, because writing to a TLS connection can deliver bytes that it has decrypted while
    // another connection's read is in progress.
    const onread = onRead && { buffer: Buffer.allocUnsafeSlow(TLS_READ_BYTES), callback: toReadCallback(onRead) };
    const options = {
      ...address,
      ...names,
      secureContext,
      session,
      ALPNProtocols: ['http/1.1'],
      ...(onread && { onread }),
    };
    return connectTls(options as ConnectionOptions).on('session', (ticket) => {
      session = ticket;
    });
  };
}

const toReadCallback =
  (onRead: (bytes: Buffer) => void) =>
  (length: number, buffer: Uint8Array): boolean => {
    onRead((buffer as Buffer).subarray(0, length));
    return true;
  };
