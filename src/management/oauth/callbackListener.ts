import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { CALLBACK_PATH } from '../../provider/client/registration.ts';
import { type CallbackResult, NOBODY_WAITS, render } from './callbackPage.ts';

export interface CallbackListenerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Undefined: no sign-in waits for this. Must not reject. */
  readonly onCallback: (callback: URLSearchParams) => Promise<CallbackResult | undefined>;
}

export interface Listening {
  readonly port: number;
  /** Why nobody listens there, and what to do; undefined when somebody does. */
  readonly problem?: string;
}

/** Receives browsers that come back from the provider. Opened for a sign-in and closed after it. */
export interface CallbackListener {
  /**
   * Listens, unless it does already.
   * @param port of the sign-in that goes on after a restart; otherwise the configured one
   */
  open(port?: number): Promise<Listening>;
  /** Takes no more connections and ends those that wait for nothing; what is being answered is answered. */
  close(): Promise<void>;
}

/**
 * The port belongs to whoever signs in on this machine, the provider's own client included, so it is held only as long
 * as somebody is awaited there (provider-and-predecessor.md 3.2).
 */
export function createCallbackListener({
  host,
  port: configured,
  onCallback,
}: CallbackListenerOptions): CallbackListener {
  let opened: { readonly listening: Promise<Listening>; readonly close: () => Promise<void> } | undefined;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const callback = request.method === 'GET' ? callbackIn(request.url ?? '') : undefined;
    const result = (callback && (await onCallback(callback))) ?? NOBODY_WAITS;
    const { status, headers, body } = render(result, request.headers.accept ?? '');
    response.writeHead(status, { ...headers, connection: 'close' }).end(body);
  };

  function listen(port: number) {
    const server = createServer({ headersTimeout: 10_000, requestTimeout: 10_000 }, (request, response) => {
      void answer(request, response);
    });
    const close = closing(server);
    const listening = new Promise<Listening>((resolve) => {
      server.once('error', (error: NodeJS.ErrnoException) => {
        opened = undefined;
        resolve({ port, problem: problemOf(error, host, port) });
      });
      server.listen(port, host, () => resolve({ port: (server.address() as AddressInfo).port }));
    });
    return { listening, close };
  }

  return {
    open(port = configured) {
      opened ??= listen(port);
      return opened.listening;
    },
    async close() {
      const closed = opened?.close();
      opened = undefined;
      await closed;
    },
  };
}

function callbackIn(url: string): URLSearchParams | undefined {
  const [path, query = ''] = url.split('?', 2);
  return path === CALLBACK_PATH ? new URLSearchParams(query) : undefined;
}

/** `server.close` waits for browsers that connected ahead and say nothing. */
function closing(server: Server): () => Promise<void> {
  const sockets = new Set<Socket>();
  const busy = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    busy.add(socket);
    response.once('close', () => busy.delete(socket));
  });
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) if (!busy.has(socket)) socket.destroy();
    });
}

const PASTE =
  'Sign in all the same, then copy the address at which the browser ends and hand it to /api/oauth/manual-callback.';

function problemOf({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} is taken by another program, perhaps the provider's own client. ${PASTE}`;
    case 'EACCES':
      return `Port ${port} may not be used by this user: set SVC_OAUTH_CALLBACK_PORT to one above 1023. ${PASTE}`;
    default:
      return `Cannot listen on ${host}:${port} (${code ?? message}). ${PASTE}`;
  }
}
