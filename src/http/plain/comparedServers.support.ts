import { once } from 'node:events';
import { connect } from 'node:net';
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
  /** The server should have closed the connection and did not. */
  readonly isLeftOpen: boolean;
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
  /** Sends the pieces one after the other on a connection of their own. @param end which side ends it then */
  exchange(pieces: Pieces, end?: 'client' | 'server'): Promise<Outcome>;
  /** Number of requests that `plain/` has read. */
  readonly plainRequests: number;
  close(): Promise<void>;
}

/** What is sent in one write; or the number of responses to wait for before the next one, unless the connection is closed. */
export type Pieces = readonly (Buffer | number)[];

/** Far more than a server needs to close a connection. */
const CLOSING_MS = 5_000;

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
    operators: () => undefined,
    unreadMs: 60_000,
  });
  return {
    get plainRequests() {
      return plainRequests;
    },
    async exchange(pieces, end = 'client') {
      const parsed: ParsedRequest[] = [];
      return { parsed, ...(await sendPieces(server, pieces, end, (port) => parsedBy.set(port, parsed))) };
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
  pieces: Pieces,
  end: 'client' | 'server',
  onPort: (port: number | undefined) => void,
): Promise<Pick<Outcome, 'received' | 'isLeftOpen'>> {
  const socket = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1', noDelay: true });
  let received = '';
  socket.on('error', () => undefined);
  socket.on('data', (piece) => {
    received += piece.toString('latin1');
  });
  const closed = new Promise((resolve) => socket.on('close', resolve));
  await once(socket, 'connect');
  onPort(socket.localPort);
  for (const piece of pieces) {
    if (typeof piece !== 'number') socket.write(piece);
    else
      while (statusesIn(received).length < piece && !socket.closed) await Promise.race([once(socket, 'data'), closed]);
    await new Promise(setImmediate);
  }
  if (end === 'client') socket.end();
  let isLeftOpen = false;
  const timeout = setTimeout(() => {
    isLeftOpen = true;
    socket.destroy();
  }, CLOSING_MS);
  await closed;
  clearTimeout(timeout);
  return { received: received.replace(/Date: [^\r]+/g, 'Date: now'), isLeftOpen };
}

/** @returns the statuses of all final responses */
export const statusesIn = (received: string): number[] =>
  Array.from(received.matchAll(/HTTP\/1\.1 ([2-5]\d\d) /g), ([, status]) => Number(status));
