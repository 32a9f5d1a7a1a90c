import type { ErrorFields } from '../http.ts';

/** A socket of an account, with what a test may do to it. */
export interface SimulatedSocket {
  /** From 1, over all accounts. */
  readonly number: number;
  /** Unix milliseconds of the injected clock. */
  readonly openedAt: number;
  /** The only id that a `previous_response_id` may name. */
  readonly latestId: string | undefined;
  /** A response is in progress. */
  readonly isBusy: boolean;
  /** Sends a message that no script contains, for example while the socket is idle. An object is sent as its JSON. */
  send(message: string | object): void;
  ping(): void;
  close(code: number, reason?: string): void;
  /** Closes the connection without a close frame. */
  reset(): void;
}

export interface Keepalive {
  /** Between two pings. */
  intervalMs: number;
  /** A ping without a pong after this time closes the socket with 1011. */
  timeoutMs: number;
}

/** Close after about 85 s (router-for-me/CLIProxyAPI#5734). */
export const REAL_KEEPALIVE: Keepalive = { intervalMs: 20_000, timeoutMs: 65_000 };

const MAX_AGE_MS = 60 * 60_000;

export interface ErrorFrame {
  type: 'error';
  status: number;
  error: Record<string, unknown>;
  headers?: Record<string, string>;
}

/** An `error` frame as the provider sends it. */
export const errorFrame = (
  status: number,
  { message, type = 'invalid_request_error', code = null, param = null }: ErrorFields,
  headers?: Record<string, string>,
): ErrorFrame => ({ type: 'error', status, error: { type, code, message, param }, ...(headers && { headers }) });

export const previousResponseNotFound = (id: unknown): ErrorFrame =>
  errorFrame(400, {
    code: 'previous_response_not_found',
    message: `Previous response with id '${id}' not found.`,
    param: 'previous_response_id',
  });

/** The provider's own wording for a second create is unknown. */
export const responseInProgress = (): ErrorFrame =>
  errorFrame(400, { message: 'Another response is in progress on this connection.', param: 'type' });

const connectionLimitReached = (): ErrorFrame =>
  errorFrame(400, {
    code: 'websocket_connection_limit_reached',
    message:
      'Responses websocket connection limit reached (60 minutes). Create a new websocket connection to continue.',
  });

/** Ends a socket that is older than 60 minutes. @returns whether it is */
export function closeOldSocket(socket: SimulatedSocket, now: number): boolean {
  if (now - socket.openedAt < MAX_AGE_MS) return false;
  socket.send(connectionLimitReached());
  socket.close(1000);
  return true;
}
