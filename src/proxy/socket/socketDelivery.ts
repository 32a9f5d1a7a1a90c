import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { ProxyError } from '../errors/proxyError.ts';
import type { Delivery } from '../relay/delivery.ts';
import { KEEPALIVE } from './frames.ts';
import { textFrames } from './textFrames.ts';

export interface SocketDeliveryOptions {
  readonly socket: WebSocket;
  /** Below `socket`. */
  readonly connection: Pick<Socket, 'write' | 'writableNeedDrain'>;
  /** The client knows only the events of its SDK: keepalives are pings. */
  readonly isStrict: boolean;
  /** Ends the response with an error. */
  readonly sendError: (error: ProxyError) => void;
  /** Called once, when the last frame of the response has been written. */
  readonly onEnd: () => void;
}

/** Messages wait to be written together with those that follow at once, but not with more. */
const MAX_WAITING_BYTES = 65_536;
const TEXT = { binary: false };

/** Sends one response on a websocket: each event is a message, byte for byte as the provider sent it. */
export class SocketDelivery implements Delivery {
  readonly #options: SocketDeliveryOptions;
  readonly wantsEvents = true;
  readonly keepsAliveEarly = true;
  hasBegun = false;
  /** Passed in this turn of the event loop. */
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  streamedBytes = 0;

  constructor(options: SocketDeliveryOptions) {
    this.#options = options;
  }

  pass(frame: Buffer): boolean {
    this.hasBegun = true;
    this.streamedBytes += frame.length;
    if (this.#waiting.length === 0) process.nextTick(() => this.#flush());
    this.#waiting.push(frame);
    this.#waitingBytes += frame.length;
    if (this.#waitingBytes >= MAX_WAITING_BYTES) this.#flush();
    return !this.#options.connection.writableNeedDrain;
  }

  /** What arrives from the provider in one piece leaves in one: a write for each message would cost more than all else. */
  #flush(): void {
    const frames = this.#waiting;
    if (frames.length === 0) return;
    this.#waiting = [];
    this.#waitingBytes = 0;
    const { socket, connection } = this.#options;
    // Nothing may follow a close frame.
    if (socket.readyState !== socket.OPEN) return;
    // Compressed, or not at all.
    if (socket.extensions === '') connection.write(textFrames(frames));
    else for (const frame of frames) socket.send(frame, TEXT);
  }

  reset(): void {
    // Nothing is collected: what was passed has been sent.
  }

  finish(frame: Buffer): void {
    this.pass(frame);
    this.#flush();
    this.#options.onEnd();
  }

  fail(error: ProxyError): void {
    this.hasBegun = true;
    this.#flush();
    this.#options.sendError(error);
    this.#options.onEnd();
  }

  keepAlive(): void {
    const { socket, connection, isStrict } = this.#options;
    if (connection.writableNeedDrain) return;
    if (isStrict) socket.ping();
    else socket.send(KEEPALIVE);
  }

  destroy(): void {
    this.#options.socket.terminate();
  }
}
