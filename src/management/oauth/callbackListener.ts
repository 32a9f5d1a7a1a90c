import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { CALLBACK_PATH } from '../../provider/client/registration.ts';
import { type CallbackResult, render, UNKNOWN_SIGN_IN } from './callbackPage.ts';

export interface CallbackListenerOptions {
  readonly host: string;
  /** With 0 the operating system picks a free port. */
  readonly port: number;
  /** @returns undefined when the callback belongs to no open sign-in. Must not reject. */
  readonly onCallback: (callback: URLSearchParams) => Promise<CallbackResult | undefined>;
}

export interface ListenResult {
  readonly port: number;
  /** Why listening failed and what the operator can do instead; undefined when it succeeded. */
  readonly problem?: string;
}

/** Serves the browsers that the provider redirects back. Listens only while a browser sign-in is open. */
export interface CallbackListener {
  /**
   * Starts listening; does nothing when already listening.
   * @param port of a sign-in that was started before a restart; by default the configured one
   */
  open(port?: number): Promise<ListenResult>;
  /** Stops listening, closes idle connections and waits until pending responses are sent. */
  close(): Promise<void>;
}

/**
 * Creates a listener that uses its port only while needed, because other programs use the same one, among them the
 * provider's own client
 * (docs/decisions/0050-oauth-linking.md).
 */
export function createCallbackListener({
  host,
  port: configured,
  onCallback,
}: CallbackListenerOptions): CallbackListener {
  let opened: { readonly listening: Promise<ListenResult>; readonly close: () => Promise<void> } | undefined;

  const handleRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const callback = request.method === 'GET' ? parseCallbackUrl(request.url ?? '') : undefined;
    const result = (callback && (await onCallback(callback))) ?? UNKNOWN_SIGN_IN;
    const { status, headers, body } = render(result, request.headers.accept ?? '');
    response.writeHead(status, { ...headers, connection: 'close' }).end(body);
  };

  function listen(port: number) {
    const server = createServer({ headersTimeout: 10_000, requestTimeout: 10_000 }, (request, response) => {
      void handleRequest(request, response);
    });
    const close = closeIdleFirst(server);
    const listening = new Promise<ListenResult>((resolve) => {
      server.once('error', (error: NodeJS.ErrnoException) => {
        opened = undefined;
        resolve({ port, problem: listenProblem(error, host, port) });
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

function parseCallbackUrl(url: string): URLSearchParams | undefined {
  const [path, query = ''] = url.split('?', 2);
  return path === CALLBACK_PATH ? new URLSearchParams(query) : undefined;
}

/** `server.close` alone would wait for connections that browsers open in advance and never use. */
function closeIdleFirst(server: Server): () => Promise<void> {
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
  'Sign in anyway, then copy the address that the browser shows at the end and send it to /api/oauth/manual-callback.';

function listenProblem({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} is in use by another program, perhaps the provider's own client. ${PASTE}`;
    case 'EACCES':
      return `This user may not listen on port ${port}: set SVC_OAUTH_CALLBACK_PORT to a port above 1023. ${PASTE}`;
    default:
      return `Cannot listen on ${host}:${port} (${code ?? message}). ${PASTE}`;
  }
}
