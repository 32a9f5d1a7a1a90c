import type { HeaderBlock } from '../../http/wire/headerBlock.ts';
import { type SocketOptions, socketOpener } from './openSocket.ts';
import { UpstreamConnection, type UpstreamControl, type UpstreamListener } from './upstreamConnection.ts';
import { isWhole, lengthOf, type RequestBody } from './writeRequest.ts';

export interface UpstreamRequest {
  readonly path: string;
  /** Stands before the others. */
  readonly shared?: readonly HeaderBlock[];
  /** Names and values in turn. They must be fit for a head: no control characters, nothing beyond Latin-1. */
  readonly headers: readonly string[];
  readonly body: RequestBody;
}

/** Sends model requests to the provider. */
export interface UpstreamPool {
  /** POSTs over a connection of its own until the response has ended. The listener is told nothing before this returns. */
  send(request: UpstreamRequest, listener: UpstreamListener): UpstreamControl;
  /** Ends all connections; what is under way fails. */
  destroy(): void;
}

const NONE: readonly never[] = [];

interface Idle {
  readonly connection: UpstreamConnection;
  readonly untilMs: number;
}

export interface UpstreamPoolOptions extends SocketOptions {
  /** How long a connection is kept while nothing is asked. */
  readonly idleMs: number;
}

/**
 * Connections to the provider, as many as requests are open, HTTP/1.1 without pipelining. Ours because the speed of the
 * relay is decided here (bench/README.md, "Why the relay speaks HTTP itself").
 */
export function createUpstreamPool(options: UpstreamPoolOptions): UpstreamPool {
  const { origin, idleMs } = options;
  const open = socketOpener(options);
  const all = new Set<UpstreamConnection>();
  /** The last one in is the next one out, so that those beyond what is needed grow old. */
  const idle: Idle[] = [];
  const events = {
    onFree: (connection: UpstreamConnection) => {
      idle.push({ connection, untilMs: performance.now() + Math.min(idleMs, connection.keptForMs) });
    },
    onGone: (connection: UpstreamConnection) => {
      all.delete(connection);
      const index = idle.findIndex((one) => one.connection === connection);
      if (index >= 0) idle.splice(index, 1);
    },
  };
  const sweep = setInterval(() => {
    const now = performance.now();
    for (const { connection, untilMs } of idle) if (untilMs <= now) connection.destroy();
  }, idleMs / 4).unref();

  function free(): UpstreamConnection {
    const now = performance.now();
    for (let one = idle.pop(); one; one = idle.pop()) {
      if (one.untilMs > now) return one.connection;
      one.connection.destroy();
    }
    const connection = new UpstreamConnection(open, events);
    all.add(connection);
    return connection;
  }

  let unwritten: (() => void)[] = [];
  function writeAll(): void {
    const writes = unwritten;
    unwritten = [];
    for (const write of writes) write();
  }

  return {
    send({ path, shared = NONE, headers, body }, listener) {
      let head = `POST ${path} HTTP/1.1\r\nhost: ${origin.host}\r\n`;
      for (const { lines } of shared) head += lines;
      for (let index = 0; index + 1 < headers.length; index += 2)
        head += `${headers[index]}: ${headers[index + 1]}\r\n`;
      head += isWhole(body) ? `content-length: ${lengthOf(body)}\r\n\r\n` : 'transfer-encoding: chunked\r\n\r\n';
      const connection = free();
      // All that one turn of the event loop brings is written in a row: the first write wakes the receiver, which then is
      // awake for the others.
      if (unwritten.length === 0) setImmediate(writeAll);
      unwritten.push(() => connection.write(head, body));
      return connection.take(listener);
    },
    destroy() {
      clearInterval(sweep);
      for (const connection of all) connection.destroy();
    },
  };
}
