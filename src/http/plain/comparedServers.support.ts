import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll } from 'vitest';
import type { ClientRequest } from '../client/clientRequest.ts';
import { type HttpServer, startHttpServer } from '../server.ts';
import { PlainRequest } from './plainRequest.ts';

/** How a server understood the bytes of a connection. */
export interface Outcome {
  /** The requests as the server parsed them, in order, each with as much of its body as arrived. */
  readonly parsed: readonly ParsedRequest[];
  /** All bytes that the client received, with dates removed. */
  readonly received: string;
}

export interface ParsedRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly httpVersion: string;
  readonly rawHeaders: readonly string[];
  readonly headers: Readonly<Record<string, unknown>>;
  body: string;
}

/** A server that reports how it parsed a request. */
export interface ComparedServer {
  /** Sends the pieces one after the other on a connection of their own, then ends it. */
  exchange(pieces: readonly (Buffer | typeof RESPONSE)[]): Promise<Outcome>;
  /** Number of requests that `plain/` has read. */
  readonly plainRequests: number;
  close(): Promise<void>;
}

/** In place of a piece: waits until the client has received something, or the connection is closed. */
export const RESPONSE = Symbol('response');

/** @returns two servers for the tests of a file: one with the plain HTTP parser, one with Node's alone */
export function comparedServers(): { readonly plain: ComparedServer; readonly node: ComparedServer } {
  const servers: { plain: ComparedServer; node: ComparedServer } = {} as never;
  beforeAll(async () => {
    servers.plain = await startServer(() => true);
    servers.node = await startServer(undefined);
  });
  afterAll(() => Promise.all([servers.plain.close(), servers.node.close()]));
  return servers;
}

async function startServer(isPlainPath: (() => boolean) | undefined): Promise<ComparedServer> {
  const parsedBy = new Map<number | undefined, ParsedRequest[]>();
  let plainRequests = 0;
  const server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    isProxyPath: () => true,
    isPlainPath,
    proxy(request, response) {
      const { method, url, httpVersion, rawHeaders, headers } = request;
      const parsedRequest = { method, url, httpVersion, rawHeaders, headers: { ...headers }, body: '' };
      parsedBy.get(request.socket.remotePort)?.push(parsedRequest);
      if (request instanceof PlainRequest) plainRequests += 1;
      readBody(request, parsedRequest, () => {
        const text = JSON.stringify(parsedRequest);
        response.writeHead(200, ['content-length', String(Buffer.byteLength(text))]);
        response.end(text);
      });
    },
    management: () => undefined,
    unreadMs: 60_000,
  });
  return {
    get plainRequests() {
      return plainRequests;
    },
    async exchange(pieces) {
      const parsed: ParsedRequest[] = [];
      const received = await sendPieces(server, pieces, (port) => parsedBy.set(port, parsed));
      return { parsed, received };
    },
    close: () => server.closed(0),
  };
}

function readBody(request: ClientRequest, into: { body: string }, onEnd: () => void): void {
  const onData = (piece: Buffer) => {
    into.body += piece.toString('latin1');
  };
  if (request instanceof PlainRequest) request.receive({ onData, onEnd, onDisconnect: () => undefined });
  else request.on('data', onData).on('end', onEnd);
}

async function sendPieces(
  server: HttpServer,
  pieces: readonly (Buffer | typeof RESPONSE)[],
  onPort: (port: number | undefined) => void,
): Promise<string> {
  const socket = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1', noDelay: true });
  let received = '';
  socket.on('error', () => undefined);
  socket.on('data', (piece) => {
    received += piece.toString('latin1');
  });
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  await new Promise((resolve) => socket.once('connect', resolve));
  onPort(socket.localPort);
  for (const piece of pieces) {
    if (piece !== RESPONSE) socket.write(piece);
    else if (received === '') await Promise.race([nextData(socket), closed]);
    await new Promise(setImmediate);
  }
  socket.end();
  await closed;
  return received.replace(/Date: [^\r]+/g, 'Date: now');
}

const nextData = (socket: Socket) => new Promise<void>((resolve) => socket.once('data', () => resolve()));
