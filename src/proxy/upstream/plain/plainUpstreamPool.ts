import { isComplete, lengthOf, type UpstreamPool, type UpstreamPoolOptions } from '../upstreamPool.ts';
import { createSocketOpener, type OpenSocket, readingFrom } from './openSocket.ts';
import { Transfer } from './transfer.ts';
import { type ConnectionEvents, UpstreamConnection } from './upstreamConnection.ts';

const NO_BLOCKS: readonly never[] = [];

interface IdleConnection {
  readonly connection: UpstreamConnection;
  readonly expiresAt: number;
}

/**
 * The default upstream pool: HTTP/1.1 without pipelining, as many connections as there are requests in flight. Hand-written
 * because it decides the throughput of the relay (bench/README.md#why-svc-has-an-http-client-of-its-own).
 *
 * A provider may close a kept connection at any time (docs/decisions/0018-http-fast-path.md#kept-connections). So a
 * connection is idle only from the end of the turn in which its response ended, and requests are written at the end of
 * theirs: between the two the event loop has read an end that came with the response. A connection that closes later hands its
 * request over to a new one.
 */
export function createPlainUpstreamPool(options: UpstreamPoolOptions): UpstreamPool {
  const { origin, idleMs, maxAgeMs } = options;
  const openSocket = createSocketOpener(options);
  /** Connections through a proxy that are being opened. */
  const opening = new Set<AbortController>();
  const connections = new Set<UpstreamConnection>();
  /** A stack: connections beyond the current load stay at the bottom and expire. */
  const idle: IdleConnection[] = [];
  let released: UpstreamConnection[] = [];
  let isClosing = false;
  let isDestroyed = false;

  const events: ConnectionEvents = {
    onReleased(connection) {
      if (released.push(connection) === 1) setImmediate(freeReleased);
    },
    onClosed(connection) {
      if (!connections.delete(connection)) return;
      const index = idle.findIndex((entry) => entry.connection === connection);
      if (index >= 0) idle.splice(index, 1);
    },
    onLost(transfer, error) {
      if (isDestroyed) {
        transfer.fail(error);
        return;
      }
      const isQueued = !transfer.isWritten;
      assignToNew(transfer);
      if (!isQueued) queueWrite(transfer);
    },
  };

  function freeReleased(): void {
    const now = performance.now();
    for (const connection of released) {
      if (!connections.has(connection)) continue;
      if (isClosing) {
        connection.destroy();
        continue;
      }
      const expiresAt = Math.min(now + idleMs, now + connection.keepAliveMs, connection.openedAt + maxAgeMs);
      idle.push({ connection, expiresAt });
    }
    released = [];
  }

  const sweep = setInterval(() => {
    const now = performance.now();
    for (const { connection } of idle.filter(({ expiresAt }) => expiresAt <= now)) connection.destroy();
  }, idleMs / 4).unref();

  function takeIdleConnection(): UpstreamConnection | undefined {
    const now = performance.now();
    for (let entry = idle.pop(); entry; entry = idle.pop()) {
      if (entry.expiresAt > now) return entry.connection;
      entry.connection.destroy();
    }
    return undefined;
  }

  function addConnection(open: OpenSocket): UpstreamConnection {
    const connection = new UpstreamConnection(open, events);
    connections.add(connection);
    return connection;
  }

  function assignToNew(transfer: Transfer): void {
    if (options.openConnection) assignWhenOpen(transfer, options.openConnection);
    else addConnection(openSocket).assign(transfer);
  }

  /** Through a proxy there is a socket for the request only once the proxy has opened the connection. */
  function assignWhenOpen(transfer: Transfer, open: NonNullable<UpstreamPoolOptions['openConnection']>): void {
    const controller = new AbortController();
    transfer.connection = { write: () => undefined, destroy: () => controller.abort() };
    opening.add(controller);
    open(controller.signal).then(
      (socket) => {
        opening.delete(controller);
        if (transfer.parser.isStopped) {
          socket.destroy();
          return;
        }
        addConnection(readingFrom(socket)).assign(transfer);
        queueWrite(transfer);
      },
      (error: Error) => {
        opening.delete(controller);
        if (!transfer.parser.isStopped) transfer.fail(error);
      },
    );
  }

  let pendingWrites: Transfer[] = [];
  /** Writes the requests of one turn together: only the first write has to wake the receiver's process. */
  function queueWrite(transfer: Transfer): void {
    if (pendingWrites.push(transfer) === 1) setImmediate(flushWrites);
  }
  function flushWrites(): void {
    const writes = pendingWrites;
    pendingWrites = [];
    for (const transfer of writes) transfer.connection?.write(transfer);
  }

  return {
    send({ path, shared = NO_BLOCKS, headers, body }, listener) {
      let head = `POST ${path} HTTP/1.1\r\nhost: ${origin.host}\r\n`;
      for (const { lines } of shared) head += lines;
      for (let index = 0; index + 1 < headers.length; index += 2)
        head += `${headers[index]}: ${headers[index + 1]}\r\n`;
      head += isComplete(body) ? `content-length: ${lengthOf(body)}\r\n\r\n` : 'transfer-encoding: chunked\r\n\r\n';
      const transfer = new Transfer(head, body, listener);
      // A body that is not in memory could not be sent again if a kept connection closes.
      const kept = isComplete(body) ? takeIdleConnection() : undefined;
      if (kept) kept.assign(transfer);
      else assignToNew(transfer);
      queueWrite(transfer);
      return transfer;
    },
    get connections() {
      return connections.size + opening.size;
    },
    get hasIdle() {
      return idle.length > 0;
    },
    get idle() {
      return idle.map(({ connection }) => ({ close: () => connection.destroy() }));
    },
    close() {
      isClosing = true;
      clearInterval(sweep);
      for (const { connection } of idle.splice(0)) connection.destroy();
    },
    destroy() {
      isDestroyed = true;
      for (const controller of opening) controller.abort(new Error('the connection was closed'));
      clearInterval(sweep);
      for (const connection of connections) connection.destroy();
    },
  };
}
