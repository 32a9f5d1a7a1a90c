import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { afterEach } from 'vitest';
import { certificate } from '../../../test/support/certificate.ts';
import type { RequestBody, UpstreamControl, UpstreamPool, UpstreamPoolOptions } from './upstreamPool.ts';

export const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

/** A connection as the provider sees it. */
export interface ProviderConnection {
  readonly socket: Socket & Partial<Pick<TLSSocket, 'alpnProtocol' | 'isSessionReused'>>;
  received: string;
  isClosed: boolean;
}

/** Creates providers for the tests of a file and closes them after each test. */
export function upstreamFixture(createPool: (options: UpstreamPoolOptions) => UpstreamPool) {
  const started: { server: Server; pools: UpstreamPool[]; connections: ProviderConnection[] }[] = [];
  afterEach(async () => {
    for (const { server, pools, connections } of started.splice(0)) {
      for (const pool of pools) pool.destroy();
      for (const { socket } of connections) socket.destroy();
      server.close();
      await once(server, 'close');
    }
  });

  /** Starts a provider that calls `onBytes` whenever it has received something. */
  return async function startProvider(onBytes: (connection: ProviderConnection) => void, { isSecure = false } = {}) {
    const connections: ProviderConnection[] = [];
    const accept = (socket: Socket) => {
      const connection: ProviderConnection = { socket, received: '', isClosed: false };
      connections.push(connection);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        connection.isClosed = true;
      });
      socket.on('data', (bytes) => {
        connection.received += bytes.toString('latin1');
        onBytes(connection);
      });
    };
    const server = isSecure
      ? createTlsServer({ ...certificate, ALPNProtocols: ['h2', 'http/1.1'] }, accept)
      : createServer(accept);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const pools: UpstreamPool[] = [];
    started.push({ server, pools, connections });
    const pool = (options: Partial<UpstreamPoolOptions> = {}) => {
      const origin = new URL(`${isSecure ? 'https' : 'http'}://${isSecure ? 'localhost' : '127.0.0.1'}:${port}`);
      const created = createPool({ origin, connectTimeoutMs: 5_000, idleMs: 30_000, maxAgeMs: 300_000, ...options });
      pools.push(created);
      return created;
    };
    return { server, connections, port, pool };
  };
}

/** Responds to each complete request. */
export const respondingWith = (response: string) => (connection: ProviderConnection) => {
  const end = connection.received.indexOf('\r\n\r\n');
  const length = Number(/content-length: (\d+)/.exec(connection.received)?.[1] ?? 0);
  if (end < 0 || connection.received.length < end + 4 + length) return;
  connection.received = '';
  connection.socket.write(response, 'latin1');
};

/** Sends one request and records the calls of its listener. */
export function send(pool: UpstreamPool, body: RequestBody = [Buffer.from('{}')], headers: readonly string[] = []) {
  const recorded = { status: 0, body: '', pieces: 0, outcome: 'none' };
  const { promise, resolve, reject } = Promise.withResolvers<typeof recorded>();
  let onPiece: (() => void) | undefined;
  let hasReturned = false;
  const record = (change: () => void) => {
    if (!hasReturned) throw new Error('the listener was called before send() returned');
    change();
  };
  const control: UpstreamControl = pool.send(
    { path: '/responses', headers, body },
    {
      onHead: (status) =>
        record(() => {
          recorded.status = status;
        }),
      onBody: (bytes) => {
        recorded.body += bytes.toString('latin1');
        recorded.pieces += 1;
        onPiece?.();
      },
      onEnd: () => {
        recorded.outcome = 'ended';
        resolve(recorded);
      },
      onError: (error) =>
        record(() => {
          recorded.outcome = 'failed';
          reject(error);
        }),
    },
  );
  hasReturned = true;
  promise.catch(() => undefined);
  return {
    recorded,
    control,
    /** Rejects when the request fails. */
    ended: promise,
    firstPiece: () =>
      new Promise<void>((resolvePiece) => {
        onPiece = resolvePiece;
      }),
  };
}

/** A connection takes the next request one turn of the event loop after its response. */
export const nextTurn = () => new Promise<void>((resolve) => setTimeout(resolve, 5));
