import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { ProxyError } from '../errors/proxyError.ts';
import type { Delivery } from '../relay/delivery.ts';
import { KEEPALIVE } from './frames.ts';

export interface SocketDeliveryOptions {
  readonly socket: WebSocket;
  /** Below `socket`. */
  readonly connection: Pick<Socket, 'cork' | 'uncork' | 'writableNeedDrain'>;
  /** The client knows only the events of its SDK: keepalives are pings. */
  readonly isStrict: boolean;
  /** Ends the response with an error. */
  readonly sendError: (error: ProxyError) => void;
  /** Called once, when the last frame of the response has been written. */
  readonly onEnd: () => void;
}

/** Codex accepts messages of 64 MiB, but only frames of 16 MiB. */
const MAX_FRAGMENT_BYTES = 8 * 1_048_576;

/** Sends one response on a websocket: each event is a message, byte for byte as the provider sent it. */
export class SocketDelivery implements Delivery {
  readonly #options: SocketDeliveryOptions;
  readonly wantsEvents = true;
  readonly keepsAliveEarly = true;
  hasBegun = false;
  #isCorked = false;
  streamedBytes = 0;

  constructor(options: SocketDeliveryOptions) {
    this.#options = options;
  }

  pass(frame: Buffer): boolean {
    this.hasBegun = true;
    this.streamedBytes += frame.length;
    this.#cork();
    for (let at = 0; at === 0 || at < frame.length; at += MAX_FRAGMENT_BYTES) {
      const end = at + MAX_FRAGMENT_BYTES;
      this.#options.socket.send(frame.subarray(at, end), { binary: false, fin: end >= frame.length });
    }
    return !this.#options.connection.writableNeedDrain;
  }

  /** What arrives from the provider in one piece leaves in one: a write for each message would cost more than all else. */
  #cork(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    this.#options.connection.cork();
    process.nextTick(() => {
      this.#isCorked = false;
      this.#options.connection.uncork();
    });
  }

  reset(): void {
    // Nothing is collected: what was passed has been sent.
  }

  finish(frame: Buffer): void {
    this.pass(frame);
    this.#options.onEnd();
  }

  fail(error: ProxyError): void {
    this.hasBegun = true;
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
