import { connect as connectPlain, isIP, type Socket, type TcpNetConnectOpts } from 'node:net';
import { type ConnectionOptions, connect as connectSecure, createSecureContext } from 'node:tls';

export interface SocketOptions {
  /** `http:` or `https:` with host and port. */
  readonly origin: URL;
  /** Of the TLS handshake, too. */
  readonly connectTimeoutMs: number;
  /** Certificates to trust in place of the usual ones, PEM. */
  readonly ca?: string | undefined;
}

/** @param read gets what comes, in memory that the next read overwrites */
export type OpenSocket = (read: (bytes: Buffer) => void) => Socket;

/** As much as a busy connection has waiting; TLS hands out one record of 16 KiB at most. */
const PLAIN_READ_BYTES = 65_536;
const TLS_READ_BYTES = 16_384;
const FIRST_PROBE_MS = 60_000;

/** How connections to one origin are made. Reads go into memory that is made once, not into a new buffer each. */
export function socketOpener({ origin, connectTimeoutMs, ca }: SocketOptions): OpenSocket {
  const isSecure = origin.protocol === 'https:';
  const host = origin.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = Number(origin.port) || (isSecure ? 443 : 80);
  const address = { host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: FIRST_PROBE_MS };
  const open = isSecure ? secureOpener(address, ca) : plainOpener(address);
  return (read) => {
    const socket = open(read);
    const late = () => socket.destroy(new Error(`no connection to ${origin.host} within ${connectTimeoutMs} ms`));
    const timer = setTimeout(late, connectTimeoutMs);
    const stop = () => clearTimeout(timer);
    return socket.once(isSecure ? 'secureConnect' : 'connect', stop).once('close', stop);
  };
}

function plainOpener(address: TcpNetConnectOpts): OpenSocket {
  // A read is told before the next one of any connection begins, so that all may share the memory.
  const buffer = Buffer.allocUnsafeSlow(PLAIN_READ_BYTES);
  return (read) => connectPlain({ ...address, onread: { buffer, callback: into(read) } });
}

function secureOpener(address: TcpNetConnectOpts, ca: string | undefined): OpenSocket {
  const secureContext = createSecureContext(ca === undefined ? {} : { ca });
  const names = isIP(address.host ?? '') ? {} : { servername: address.host };
  let session: Buffer | undefined;
  return (read) => {
    // Writing to a TLS connection may make it tell what it has read, in the middle of another one's read: each has its own.
    const onread = { buffer: Buffer.allocUnsafeSlow(TLS_READ_BYTES), callback: into(read) };
    const options = { ...address, ...names, secureContext, session, ALPNProtocols: ['http/1.1'], onread };
    return connectSecure(options as ConnectionOptions).on('session', (ticket) => {
      session = ticket;
    });
  };
}

const into =
  (read: (bytes: Buffer) => void) =>
  (length: number, buffer: Uint8Array): boolean => {
    read((buffer as Buffer).subarray(0, length));
    return true;
  };
