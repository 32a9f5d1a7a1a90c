import { isComplete, lengthOf, type UpstreamPool, type UpstreamPoolOptions } from '../upstreamPool.ts';
import { createSocketOpener } from './openSocket.ts';
import { UpstreamConnection } from './upstreamConnection.ts';

const NO_BLOCKS: readonly never[] = [];

interface IdleConnection {
  readonly connection: UpstreamConnection;
  readonly expiresAt: number;
}

/**
 * The default upstream pool: HTTP/1.1 without pipelining, as many connections as there are requests in flight. Hand-written
 * because it decides the throughput of the relay (bench/README.md#why-svc-has-an-http-client-of-its-own).
 */
export function createPlainUpstreamPool(options: UpstreamPoolOptions): UpstreamPool {
  const { origin, idleMs } = options;
  const openSocket = createSocketOpener(options);
  const connections = new Set<UpstreamConnection>();
  /** A stack: connections beyond the current load stay at the bottom and expire. */
  const idle: IdleConnection[] = [];
  const events = {
    onIdle: (connection: UpstreamConnection) => {
      idle.push({ connection, expiresAt: performance.now() + Math.min(idleMs, connection.keepAliveMs) });
    },
    onClosed: (connection: UpstreamConnection) => {
      connections.delete(connection);
      const index = idle.findIndex((entry) => entry.connection === connection);
      if (index >= 0) idle.splice(index, 1);
    },
  };
  const sweep = setInterval(() => {
    const now = performance.now();
    for (const { connection, expiresAt } of idle) if (expiresAt <= now) connection.destroy();
  }, idleMs / 4).unref();

  function takeConnection(): UpstreamConnection {
    const now = performance.now();
    for (let entry = idle.pop(); entry; entry = idle.pop()) {
      if (entry.expiresAt > now) return entry.connection;
      entry.connection.destroy();
    }
    const connection = new UpstreamConnection(openSocket, events);
    connections.add(connection);
    return connection;
  }

  let pendingWrites: (() => void)[] = [];
  function flushWrites(): void {
    const writes = pendingWrites;
    pendingWrites = [];
    for (const write of writes) write();
  }

  return {
    send({ path, shared = NO_BLOCKS, headers, body }, listener) {
      let head = `POST ${path} HTTP/1.1\r\nhost: ${origin.host}\r\n`;
      for (const { lines } of shared) head += lines;
      for (let index = 0; index + 1 < headers.length; index += 2)
        head += `${headers[index]}: ${headers[index + 1]}\r\n`;
      head += isComplete(body) ? `content-length: ${lengthOf(body)}\r\n\r\n` : 'transfer-encoding: chunked\r\n\r\n';
      const connection = takeConnection();
      // Writes the requests of one event loop turn together: only the first write has to wake the receiver's process.
      if (pendingWrites.length === 0) setImmediate(flushWrites);
      pendingWrites.push(() => connection.write(head, body));
      return connection.assign(listener);
    },
    destroy() {
      clearInterval(sweep);
      for (const connection of connections) connection.destroy();
    },
  };
}
