import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** A request as sent by the client; `body` is not decoded. */
export type RecordedRequest = { method: string; path: string; headers: IncomingMessage['headers']; body: Buffer };

/** A TCP proxy between a client and the service that records requests and responses. */
export type RecordingProxy = {
  /** Used by clients instead of the service's URL. */
  url: string;
  /** The requests so far, in the order in which their bodies ended. */
  requests: readonly RecordedRequest[];
  /** All response bytes as text, connection by connection; printed when a test fails. */
  responses: () => string;
} & AsyncDisposable;

/**
 * Relays TCP bytes unchanged in both directions, so that the client deals with the service itself. A copy of what the client
 * sends goes to an HTTP server whose responses are dropped: it only parses the requests.
 */
export async function startRecordingProxy(serviceUrl: string): Promise<RecordingProxy> {
  const { hostname, port } = new URL(serviceUrl);
  const requests: RecordedRequest[] = [];
  const responses: Buffer[][] = [];
  const open = new Set<Socket>();

  const parser = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    requests.push({ method, path: url, headers, body: Buffer.concat(chunks) });
    response.end();
  });

  const relay = createTcpServer((client) => {
    const service = connect(Number(port), hostname);
    const copy = new ParserInput();
    const response: Buffer[] = [];
    responses.push(response);
    parser.emit('connection', copy);
    client.on('data', (bytes) => copy.push(bytes));
    service.on('data', (bytes) => response.push(bytes));
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
    requests,
    responses: () => responses.map((response) => Buffer.concat(response).toString()).join('\n'),
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy();
      relay.close();
      await once(relay, 'close');
    },
  };
}

/** A connection of the parsing server: bytes are added with `push`, its responses are dropped. */
class ParserInput extends Duplex {
  override _read(): void {}

  override _write(_bytes: Buffer, _encoding: string, done: () => void): void {
    done();
  }
}
