import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import type { ClientRequest, ClientResponse } from './client/client.ts';
import { KEEP_ALIVE_SECONDS } from './plain/plainResponse.ts';
import { readPlainRequests } from './plain/readPlainRequests.ts';
import type { Dashboard } from './static/dashboard.ts';
import { limitUnreadResponses } from './unreadResponses.ts';
import {
  EXPECTATION,
  headErrorResponse,
  LINGER_MS,
  NO_TUNNEL,
  parserErrorResponse,
  respondAndClose,
  respondNotHttp,
} from './wire/parserErrorResponse.ts';

/** How long a request may take to arrive. */
const REQUEST_MS = 300_000;

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface HttpServerOptions {
  readonly host: string;
  readonly port: number;
  /** Whether a path belongs to the proxy; everything else is dashboard or management. */
  readonly isProxyPath: (path: string) => boolean;
  readonly proxy: (request: ClientRequest, response: ClientResponse) => void;
  /** Whether its requests are the proxy's and are read by `plain/` when they are plain. */
  readonly isPlainPath: (path: string) => boolean;
  /** Asked before management; answers what is its own. */
  readonly dashboard?: Dashboard | undefined;
  readonly management: Handler;
  /** How long a client may read nothing of its answer. */
  readonly unreadMs: number;
}

export interface HttpServer {
  readonly url: string;
  /** Takes no new connections and ends idle ones; answers under way go on. */
  stopListening(): void;
  /** Resolves when every connection has ended, cutting those that have not after `withinMs`. */
  closed(withinMs: number): Promise<void>;
}

/** Nobody can listen there; the message says what to do. */
export class CannotListen extends Error {
  override readonly name = 'CannotListen';
}

/** Both surfaces on one port. @throws CannotListen */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const lastResponse = new WeakMap<Socket, ServerResponse>();
  const server = createServer(
    // Model answers take minutes; what is bounded is how long a request may take to arrive. Whether there is a Host is
    // looked at here, because Node's own refusal has no body.
    {
      keepAliveTimeout: KEEP_ALIVE_SECONDS * 1_000,
      headersTimeout: 60_000,
      requestTimeout: REQUEST_MS,
      noDelay: true,
      requireHostHeader: false,
    },
    (request, response) => {
      lastResponse.set(request.socket, response);
      const problem = headErrorResponse(request);
      if (problem) return respondNotHttp(response, problem);
      const path = pathOf(request.url as string);
      if (options.isProxyPath(path)) options.proxy(request, response);
      else if (!options.dashboard?.(request, response, path)) options.management(request, response);
    },
  );
  const onNoise = createNoiseHandler(lastResponse);
  server.on('clientError', (error, socket) => onNoise(error, socket as Socket));
  server.on('checkExpectation', (_request, response) => respondNotHttp(response, EXPECTATION));
  server.on('connect', (_request, socket) => respondAndClose(socket as Socket, NO_TUNNEL));
  const plain = readPlainRequests(server, {
    isPlainUrl: (url) => options.isPlainPath(pathOf(url)),
    serve: options.proxy,
    requestMs: REQUEST_MS,
    lingerMs: LINGER_MS,
  });
  const connections = openConnections(server);
  const answerOn = (connection: Socket) => lastResponse.get(connection) ?? plain.get(connection)?.response;
  const watch = limitUnreadResponses({ connections, answerOn, patienceMs: options.unreadMs });
  server.once('close', () => clearInterval(watch));
  const ends = closing(server, connections, answerOn);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(error, options)));
    server.listen(options.port, options.host, () => resolve());
  });
  return { url: urlOf(server, options.host), ...ends };
}

function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

function cannotListen({ code, message }: NodeJS.ErrnoException, { host, port }: HttpServerOptions): CannotListen {
  switch (code) {
    case 'EADDRINUSE':
      return new CannotListen(`${host}:${port} is taken: stop what listens there, or set SVC_PORT to another port.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new CannotListen(`${host} is no address of this machine: set SVC_HOST to one that is, or to 0.0.0.0.`);
    case 'EACCES':
      return new CannotListen(`Port ${port} may not be used by this user: set SVC_PORT to one above 1023.`);
    default:
      return new CannotListen(`Cannot listen on ${host}:${port}: ${message}`);
  }
}

function openConnections(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

/**
 * Ends connections in order. `server.close` would not do: it tears down connections whose answer is written but not yet
 * read, which it takes for idle.
 */
function closing(
  server: Server,
  sockets: ReadonlySet<Socket>,
  answerOn: (socket: Socket) => ClientResponse | undefined,
): Pick<HttpServer, 'stopListening' | 'closed'> {
  const isIdle = (socket: Socket) => {
    const response = answerOn(socket);
    return !response || response.writableFinished || response.destroyed;
  };
  const endIdle = () => {
    for (const socket of sockets) if (isIdle(socket)) socket.end();
  };
  let whenClosed: Promise<void> | undefined;
  const stopListening = () => {
    whenClosed ??= new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()));
    endIdle();
  };
  return {
    stopListening,
    async closed(withinMs) {
      stopListening();
      // Connections become idle one after the other, as their last answers are read.
      const sweep = setInterval(endIdle, 20);
      const cut = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, withinMs);
      await whenClosed;
      clearInterval(sweep);
      clearTimeout(cut);
    },
  };
}

function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** What is no HTTP never reaches a surface; it gets an envelope all the same (design.md promise 10). */
function createNoiseHandler(lastResponse: WeakMap<Socket, ServerResponse>) {
  // After its first complaint the parser complains about every further read.
  const noisy = new WeakSet<Socket>();
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET') socket.destroy();
    if (socket.destroyed || noisy.has(socket)) return;
    noisy.add(socket);
    const response = lastResponse.get(socket);
    const isUnderWay = response !== undefined && !response.writableFinished;
    // A whole request before the noise gets its answer, and nothing comes after that.
    if (isUnderWay && (response.req.complete || response.headersSent)) {
      response.once('finish', () => socket.destroySoon());
    } else if (socket.writable) respondAndClose(socket, parserErrorResponse(error));
    else socket.destroy();
  };
}
