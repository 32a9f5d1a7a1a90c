import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** One request as its client wrote it; `body` is undecoded. */
export type SentRequest = { method: string; path: string; headers: IncomingMessage['headers']; body: Buffer };

/** A wire-tap between a client and the service. */
export type Wire = {
  /** Stands in for the service's own url. */
  url: string;
  /** Every request that went through so far, in the order in which their bodies ended. */
  sent: readonly SentRequest[];
  /** All that came back, connection after connection, as text; for the report of a test that failed. */
  answers: () => string;
} & AsyncDisposable;

/**
 * Relays TCP bytes both ways, unchanged and unread, so that a client meets the service as it is. A copy of what the
 * client writes goes to an HTTP server that answers nobody: Node's own parser says what was sent.
 */
export async function tapWire(serviceUrl: string): Promise<Wire> {
  const { hostname, port } = new URL(serviceUrl);
  const sent: SentRequest[] = [];
  const answers: Buffer[][] = [];
  const open = new Set<Socket>();

  const reader = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    sent.push({ method, path: url, headers, body: Buffer.concat(chunks) });
    response.end();
  });

  const relay = createTcpServer((client) => {
    const service = connect(Number(port), hostname);
    const copy = new Copy();
    const answer: Buffer[] = [];
    answers.push(answer);
    reader.emit('connection', copy);
    client.on('data', (bytes) => copy.push(bytes));
    service.on('data', (bytes) => answer.push(bytes));
    client.pipe(service).pipe(client);
    for (const [socket, other] of [
      [client, service],
      [service, client],
    ] as const) {
      open.add(socket);
      socket.on('error', () => other.resetAndDestroy());
      socket.on('close', () => {
        open.delete(socket);
        copy.destroy();
      });
    }
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');

  return {
    url: `http://127.0.0.1:${(relay.address() as AddressInfo).port}`,
    sent,
    answers: () => answers.map((answer) => Buffer.concat(answer).toString()).join('\n'),
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy();
      relay.close();
      await once(relay, 'close');
    },
  };
}

/** What the reading server takes for a connection: bytes come in by `push`, what it answers is dropped. */
class Copy extends Duplex {
  override _read(): void {}

  override _write(_bytes: Buffer, _encoding: string, done: () => void): void {
    done();
  }
}
