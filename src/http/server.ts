import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { ClientRequest, ClientResponse } from './client/clientRequest.ts';
import { trackConnections } from './connections.ts';
import type { ConnectionDescriptors } from './limitConnections.ts';
import { createParserErrorHandler } from './parserErrorHandler.ts';
import { KEEP_ALIVE_SECONDS } from './plain/plainResponse.ts';
import { readPlainRequests } from './plain/readPlainRequests.ts';
import { limitUnreadResponses } from './unreadResponses.ts';
import {
  CONNECT_NOT_ALLOWED,
  headErrorResponse,
  LINGER_MS,
  OUT_OF_DESCRIPTORS,
  type ProtocolError,
  respondAndClose,
  respondAndReset,
  respondWithError,
  UNSUPPORTED_EXPECTATION,
} from './wire/protocolError.ts';

/** Maximum time for a request to arrive. */
const REQUEST_TIMEOUT_MS = 300_000;
const HEADERS_TIMEOUT_MS = 60_000;
/** Connections that wait to be accepted, up to the limit of the system. Node's 511 are too few while the main thread is busy for a second. */
const BACKLOG = 4_096;

/** Takes over connections that are upgraded to websockets. */
export interface Upgrades {
  /** Whether an upgrade of a path is accepted; any other one is an ordinary request. */
  readonly isUpgradePath: (path: string) => boolean;
  /**
   * Responds to the upgrade with an error, or detaches the response from its connection.
   * @param head what has arrived after the head of the request
   */
  readonly upgrade: (request: IncomingMessage, response: ServerResponse, head: Buffer) => void;
}

/** @param path of the request's URL */
export type PathHandler = (request: IncomingMessage, response: ServerResponse, path: string) => void;

export interface HttpServerOptions {
  readonly host: string;
  readonly port: number;
  /** What names the port, for errors; default: the setting. */
  readonly portSetting?: string;
  /** Whether a path belongs to the proxy; all others belong to what operators use. */
  readonly isProxyPath: (path: string) => boolean;
  readonly proxy: (request: ClientRequest, response: ClientResponse) => void;
  /** Paths of the proxy whose plain requests are read by `plain/`. Undefined: Node's HTTP server reads every request. */
  readonly isPlainPath?: ((path: string) => boolean) | undefined;
  /** Undefined: an upgrade is an ordinary request. */
  readonly upgrades?: Upgrades | undefined;
  /** Dashboard and management. */
  readonly operators: PathHandler;
  /** The file descriptors of this process; a connection is refused when too few are left. */
  readonly descriptors?: ConnectionDescriptors | undefined;
  /** Maximum time in which a client reads nothing of a complete response. */
  readonly unreadMs: number;
}

/** A listening server. */
export interface HttpServer {
  readonly url: string;
  /** Stops accepting connections and closes idle ones; open requests continue. */
  stopListening(): void;
  /** Resolves when all connections have ended; closes those still open after `timeoutMs` at once. */
  closed(timeoutMs: number): Promise<void>;
}

/** The server cannot listen on the configured address; the message tells the operator what to change. */
export class CannotListen extends Error {
  override readonly name = 'CannotListen';
}

/** Serves the proxy, and what operators use, on one port. @throws CannotListen */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { isProxyPath, isPlainPath, proxy, operators, upgrades } = options;
  const nodeResponses = new WeakMap<Socket, ServerResponse>();
  // Node would serve what a client has pipelined behind a refused request, although the response cannot be sent any more.
  const isClosing = new WeakSet<Socket>();
  const refuse = (response: ServerResponse, error: ProtocolError) => {
    isClosing.add(response.req.socket);
    respondWithError(response, error);
  };
  const server = createServer(
    {
      keepAliveTimeout: KEEP_ALIVE_SECONDS * 1_000,
      headersTimeout: HEADERS_TIMEOUT_MS,
      // Limits only the arrival of a request: model responses take minutes.
      requestTimeout: REQUEST_TIMEOUT_MS,
      noDelay: true,
      // `headErrorResponse` checks it, because Node's own response has no body.
      requireHostHeader: false,
      shouldUpgradeCallback: ({ method, headers, url = '' }) =>
        method === 'GET' &&
        headers.upgrade?.toLowerCase() === 'websocket' &&
        (upgrades?.isUpgradePath(pathOf(url)) ?? false),
    },
    (request, response) => {
      if (isClosing.has(request.socket)) return;
      nodeResponses.set(request.socket, response);
      const error = headErrorResponse(request);
      if (error) return refuse(response, error);
      const path = pathOf(request.url as string);
      if (isProxyPath(path)) proxy(request, response);
      else operators(request, response, path);
    },
  );
  server.on('upgrade', (request, stream, head) => {
    const socket = stream as Socket;
    socket.on('error', () => socket.destroy());
    if (isClosing.has(socket)) return;
    const before = nodeResponses.get(socket);
    if (before && !isSent(before)) {
      // No client upgrades a connection on which it waits for a response, and Node has stopped reading this one.
      isClosing.add(socket);
      before.once('finish', () => socket.destroySoon());
      return;
    }
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.end(() => setTimeout(() => socket.destroy(), LINGER_MS).unref()));
    // As long as it is not finished, the connection is in use.
    nodeResponses.set(socket, response);
    const error = headErrorResponse(request);
    if (error) refuse(response, error);
    else upgrades?.upgrade(request, response, head);
  });
  const onParserError = createParserErrorHandler((socket) => nodeResponses.get(socket));
  server.on('clientError', (error, socket) => onParserError(error, socket as Socket));
  server.on('checkExpectation', ({ socket }, response) => {
    if (!isClosing.has(socket)) refuse(response, UNSUPPORTED_EXPECTATION);
  });
  server.on('connect', (_request, socket) => respondAndClose(socket as Socket, CONNECT_NOT_ALLOWED));
  const plainConnections =
    isPlainPath &&
    readPlainRequests(server, {
      isPlainUrl: (url) => isPlainPath(pathOf(url)),
      serve: proxy,
      requestTimeoutMs: REQUEST_TIMEOUT_MS,
      lingerMs: LINGER_MS,
    });
  const latestResponse = (socket: Socket) => nodeResponses.get(socket) ?? plainConnections?.get(socket)?.response;
  const connections = trackConnections(server, {
    latestResponse,
    descriptors: options.descriptors,
    refuse(socket, mayWait) {
      isClosing.add(socket);
      if (mayWait) respondAndClose(socket, OUT_OF_DESCRIPTORS);
      else respondAndReset(socket, OUT_OF_DESCRIPTORS);
    },
  });
  const unreadTimer = limitUnreadResponses({
    sockets: connections.sockets,
    latestResponse,
    unreadMs: options.unreadMs,
  });
  server.once('close', () => clearInterval(unreadTimer));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(error, options)));
    server.listen(options.port, options.host, BACKLOG, () => resolve());
  });
  return {
    url: urlOf(server, options.host),
    stopListening: connections.stopListening,
    closed: connections.closed,
  };
}

/** Whether a response has left its connection; one that waits for an earlier response is on none. */
const isSent = ({ socket, writableFinished }: ServerResponse): boolean => socket === null && writableFinished;

function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

function cannotListen(
  { code, message }: NodeJS.ErrnoException,
  { host, port, portSetting = 'SVC_PORT' }: HttpServerOptions,
): CannotListen {
  switch (code) {
    case 'EADDRINUSE':
      return new CannotListen(
        `${host}:${port} is already in use: stop the process that listens there, or set ${portSetting} to another port.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new CannotListen(
        `${host} is not an address of this machine: set SVC_HOST to one that is, or to 0.0.0.0 for all of them.`,
      );
    case 'EACCES':
      return new CannotListen(`This user may not listen on port ${port}: set ${portSetting} to a port above 1023.`);
    default:
      return new CannotListen(`Cannot listen on ${host}:${port}: ${message}`);
  }
}

function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
