import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach } from 'vitest';
import type { PlainRequest } from '../../src/http/plain/plainRequest.ts';
import type { PlainResponse } from '../../src/http/plain/plainResponse.ts';
import { readPlainRequests } from '../../src/http/plain/readPlainRequests.ts';

/** A request as it was served here, with what came of its body. */
export interface Served {
  readonly url: string;
  readonly request: PlainRequest;
  readonly response: PlainResponse;
  body: string;
  hasEnded: boolean;
  isGone: boolean;
  isClosed: boolean;
}

/** The client's side of a connection. */
export interface Client {
  readonly socket: Socket;
  received: string;
  isClosed: boolean;
}

const open: { server: Server; clients: Client[] }[] = [];

/** Makes servers for the tests of a file, and ends them after each. */
export function plainStages(): typeof stage {
  afterEach(async () => {
    for (const { server, clients } of open.splice(0)) {
      for (const { socket } of clients) socket.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    }
  });
  return stage;
}

/** A server that reads plain requests to `/plain` here and leaves all others to Node. */
async function stage(
  serve: (served: Served) => void = answer,
  node = (request: IncomingMessage, response: ServerResponse) => {
    request.resume();
    request.on('end', () => response.end(`node:${request.url}`));
  },
) {
  const served: Served[] = [];
  const server = createServer({ keepAliveTimeout: 75_000 }, node);
  const connections = readPlainRequests(server, {
    isPlainUrl: (url) => url.startsWith('/plain'),
    serve(request, response) {
      const one = { url: request.url, request, response, body: '', hasEnded: false, isGone: false, isClosed: false };
      served.push(one);
      response.once('close', () => {
        one.isClosed = true;
      });
      request.receive({
        onData: (piece) => {
          one.body += piece;
        },
        onEnd: () => {
          one.hasEnded = true;
          serve(one);
        },
        onDisconnect: () => {
          one.isGone = true;
        },
      });
    },
    requestMs: 60_000,
    lingerMs: 10,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const clients: Client[] = [];
  open.push({ server, clients });
  const call = async (text = ''): Promise<Client> => {
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
  return { served, connections, server, call };
}

/** The text of a plain request. */
export const plain = (path: string, body = '{}', more = '') =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;

/** Says which request this is the answer to. */
export function answer({ url, body, response }: Served): void {
  const text = `plain:${url}:${body}`;
  response.writeHead(200, ['content-length', String(text.length)]).end(text);
}

/** What a client was answered, by `answer` or by Node. */
export const answersIn = ({ received }: Client): string[] =>
  received.match(/(?:plain|node):[^\r\n]*?(?=HTTP\/1|\r|$)/g) ?? [];
