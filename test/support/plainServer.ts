import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach } from 'vitest';
import type { PlainRequest } from '../../src/http/plain/plainRequest.ts';
import type { PlainResponse } from '../../src/http/plain/plainResponse.ts';
import { readPlainRequests } from '../../src/http/plain/readPlainRequests.ts';

/** A plain request that the server received, and the events of its body and connection. */
export interface ServedRequest {
  readonly url: string;
  readonly request: PlainRequest;
  readonly response: PlainResponse;
  body: string;
  hasEnded: boolean;
  isDisconnected: boolean;
  isClosed: boolean;
}

/** The client's side of a connection. */
export interface Client {
  readonly socket: Socket;
  received: string;
  isClosed: boolean;
}

const started: { server: Server; clients: Client[] }[] = [];

/** @returns a function that starts servers for the tests of a file; they are closed after each test */
export function plainServers(): typeof startServer {
  afterEach(async () => {
    for (const { server, clients } of started.splice(0)) {
      for (const { socket } of clients) socket.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    }
  });
  return startServer;
}

/** Starts a server whose plain requests to `/plain*` are read by `src/http/plain`, and all others by Node. */
async function startServer(
  serve: (served: ServedRequest) => void = respond,
  serveByNode = (request: IncomingMessage, response: ServerResponse) => {
    request.resume();
    request.on('end', () => response.end(`node:${request.url}`));
  },
) {
  const served: ServedRequest[] = [];
  const server = createServer({ keepAliveTimeout: 75_000 }, serveByNode);
  const connections = readPlainRequests(server, {
    isPlainUrl: (url) => url.startsWith('/plain'),
    serve(request, response) {
      const flags = { hasEnded: false, isDisconnected: false, isClosed: false };
      const entry = { url: request.url, request, response, body: '', ...flags };
      served.push(entry);
      response.once('close', () => {
        entry.isClosed = true;
      });
      request.receive({
        onData: (piece) => {
          entry.body += piece;
        },
        onEnd: () => {
          entry.hasEnded = true;
          serve(entry);
        },
        onDisconnect: () => {
          entry.isDisconnected = true;
        },
      });
    },
    requestTimeoutMs: 60_000,
    lingerMs: 10,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const clients: Client[] = [];
  started.push({ server, clients });
  /** Connects a client that sends `text`. */
  const connectClient = async (text = ''): Promise<Client> => {
    const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', noDelay: true });
    const client: Client = { socket, received: '', isClosed: false };
    clients.push(client);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      client.received += bytes.toString('latin1');
    });
    socket.on('close', () => {
      client.isClosed = true;
    });
    await once(socket, 'connect');
    socket.write(text, 'latin1');
    return client;
  };
  return { served, connections, server, connectClient };
}

/** @returns the bytes of a plain request @param moreHeaders complete lines */
export const plainRequest = (path: string, body = '{}', moreHeaders = '') =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\n${moreHeaders}Content-Length: ${body.length}\r\n\r\n${body}`;

/** Responds with the URL and the body of the request. */
export function respond({ url, body, response }: ServedRequest): void {
  const text = `plain:${url}:${body}`;
  response.writeHead(200, ['content-length', String(text.length)]).end(text);
}

/** @returns the bodies that a client has received from `respond` or from Node */
export const responsesIn = ({ received }: Client): string[] =>
  received.match(/(?:plain|node):[^\r\n]*?(?=HTTP\/1|\r|$)/g) ?? [];
