import type { Socket } from 'node:net';
import type { RawData, WebSocket } from 'ws';
import { ProxyError } from '../errors/proxyError.ts';
import type { CloseReason } from '../metrics/socketMetrics.ts';
import type { MemoryBudget } from '../requestBody/memoryBudget.ts';
import type { Surface } from '../responses/schema.ts';
import { ArrivingMessage } from './arrivingMessage.ts';
import { CloseCode } from './closeCodes.ts';
import { countInflated } from './countInflated.ts';
import { errorFrame } from './frames.ts';

export interface ClientConnectionOptions {
  readonly socket: WebSocket;
  /** Below `socket`. */
  readonly connection: Socket;
  readonly memoryBudget: Pick<MemoryBudget, 'createShare'>;
  readonly surface: Surface;
  /** Called when the client has sent a request that is too large for a socket. */
  readonly onTooLarge: () => void;
  /** Called with each message of text. */
  readonly onMessage: (data: Buffer) => void;
  readonly onDrain: () => void;
  /** Called when svc begins to close the socket. */
  readonly onClosing: () => void;
  readonly onClosed: (reason: CloseReason) => void;
}

const TOO_LARGE_STATUS = 413;
const TOO_LARGE = 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH';

/** The websocket of a client: the memory of what arrives on it, when the client was last heard, and why it is closed. */
export class ClientConnection {
  readonly #options: ClientConnectionOptions;
  readonly #arriving: ArrivingMessage;
  /** Undefined while the client may still be the one to close. */
  #closeReason: CloseReason | undefined;
  isClosed = false;
  /** By `performance.now()`. */
  lastHeardAt: number = performance.now();

  constructor(options: ClientConnectionOptions) {
    this.#options = options;
    this.#arriving = new ArrivingMessage(options.memoryBudget);
    const { socket, connection } = options;
    // Before the socket reads them, which may complete a message.
    connection.prependListener('data', (bytes: Buffer) => {
      this.lastHeardAt = performance.now();
      this.#acquire(bytes.length);
    });
    countInflated(socket, (bytes) => this.#acquire(bytes));
    connection.on('drain', options.onDrain);
    socket.on('message', (data, isBinary) => this.#onMessage(data, isBinary));
    socket.on('ping', (payload) => this.#arriving.onControlFrame(payload));
    socket.on('pong', (payload) => this.#arriving.onControlFrame(payload));
    // Always followed by `close`.
    socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => {
      if (code.startsWith('WS_ERR_')) this.#closeReason ??= 'protocol';
      if (code === TOO_LARGE) options.onTooLarge();
    });
    socket.once('close', () => {
      this.isClosed = true;
      this.#arriving.end();
      options.onClosed(this.#closeReason ?? 'client');
    });
  }

  /**
   * Counts what arrives before it is a whole message, so that it takes its share of memory.
   * @returns false when there is none, and the socket is being closed
   */
  #acquire(bytes: number): boolean {
    const { socket } = this.#options;
    if (socket.readyState !== socket.OPEN) return false;
    try {
      this.#arriving.onBytes(bytes);
      return true;
    } catch (error) {
      if (!(error instanceof ProxyError)) throw error;
      this.sendError(error);
      this.close(CloseCode.tryAgainLater, 'memory');
      // The rest of the message would take the memory that there is none of.
      socket.pause();
      return false;
    }
  }

  #onMessage(data: RawData, isBinary: boolean): void {
    const { socket, onMessage } = this.#options;
    this.#arriving.end();
    if (this.isClosed || socket.readyState !== socket.OPEN) return;
    if (isBinary) this.close(CloseCode.unsupportedData, 'protocol');
    else onMessage(data as Buffer);
  }

  ping(): void {
    this.#options.socket.ping();
  }

  /** Codex gets no answer to a request that is too large for a socket: it then sends it by POST, which takes more. */
  sendError(error: ProxyError): void {
    const { socket, surface, onTooLarge } = this.#options;
    if (error.status === TOO_LARGE_STATUS && surface === 'svc') {
      onTooLarge();
      this.close(CloseCode.messageTooBig, 'protocol');
    } else socket.send(errorFrame(error));
  }

  close(code: number, reason: CloseReason): void {
    this.#closeReason ??= reason;
    this.#options.socket.close(code);
    this.#options.onClosing();
  }

  terminate(reason: CloseReason): void {
    this.#closeReason ??= reason;
    this.#options.socket.terminate();
  }
}
