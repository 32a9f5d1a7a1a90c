import type { Socket } from 'node:net';
import { isComplete } from '../upstreamPool.ts';
import type { OpenSocket } from './openSocket.ts';
import type { Transfer } from './transfer.ts';
import { writeComplete, writeStreamed } from './writeRequest.ts';

/** Callbacks of a connection. */
export interface ConnectionEvents {
  /** The response has ended, and the connection may take another request after a turn of the event loop. */
  onReleased(connection: UpstreamConnection): void;
  /** The connection is closed or about to be. May be called repeatedly. */
  onClosed(connection: UpstreamConnection): void;
  /** A kept connection was closed before the first byte of a response, so the request needs another one. */
  onLost(transfer: Transfer, error: Error): void;
}

/** One connection to the provider; serves one request at a time. */
export class UpstreamConnection {
  /** By `performance.now()`. */
  readonly openedAt: number = performance.now();
  readonly #socket: Socket;
  readonly #events: ConnectionEvents;
  #transfer: Transfer | undefined;
  #hasServed = false;
  /** How long the provider keeps an idle connection open, in milliseconds; infinite unless it sends `Keep-Alive`. */
  keepAliveMs = Number.POSITIVE_INFINITY;

  constructor(openSocket: OpenSocket, events: ConnectionEvents) {
    this.#events = events;
    this.#socket = openSocket((bytes) => this.#read(bytes))
      .on('end', () => this.#onEnd())
      .on('error', (error) => this.#fail(error))
      .on('close', () => this.#fail(closed('the connection was closed')));
  }

  /** Assigns a request to an idle connection. Its listener is called only after this returns; `write` sends it. */
  assign(transfer: Transfer): void {
    this.#transfer = transfer;
    transfer.assignTo(this, this.#socket, this.#hasServed);
  }

  write(transfer: Transfer): void {
    if (this.#transfer !== transfer || transfer.isWritten || transfer.parser.isStopped) return;
    const { head, body } = transfer;
    transfer.isWritten = true;
    if (isComplete(body)) {
      writeComplete(this.#socket, head, body);
      transfer.isSent = true;
    } else {
      writeStreamed(this.#socket, head, body).then(
        () => {
          transfer.isSent = true;
        },
        (error: Error) => this.#fail(error),
      );
    }
    if (!transfer.canMove) transfer.stay();
  }

  /** A request in progress fails later. */
  destroy(): void {
    this.#socket.destroy();
    this.#events.onClosed(this);
  }

  #read(bytes: Buffer): void {
    const transfer = this.#transfer;
    if (!transfer?.isWritten) {
      // Otherwise unsolicited bytes would be parsed as the response to the next request.
      this.#fail(new Error('the provider sent bytes without a request'));
      return;
    }
    if (transfer.canMove) transfer.stay();
    try {
      transfer.parser.read(bytes);
      if (transfer.parser.hasEnded) this.#release(transfer);
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #onEnd(): void {
    const transfer = this.#transfer;
    if (transfer?.parser.close()) this.#release(transfer);
    else this.#fail(closed('the provider closed the connection'));
  }

  #release(transfer: Transfer): void {
    const { parser, isSent } = transfer;
    this.#transfer = undefined;
    if (!parser.canReuseConnection || !isSent || this.#socket.writableLength > 0) {
      this.destroy();
      return;
    }
    transfer.resume();
    this.#hasServed = true;
    this.keepAliveMs = parseKeepAliveMs(parser.head?.headers.get('keep-alive'));
    this.#events.onReleased(this);
  }

  #fail(error: Error): void {
    const transfer = this.#transfer;
    this.#transfer = undefined;
    this.destroy();
    if (!transfer || transfer.parser.isStopped) return;
    if (transfer.canMove) this.#events.onLost(transfer, error);
    else transfer.fail(error);
  }
}

/** Node names an early end of a connection like this, too. */
const closed = (message: string) => Object.assign(new Error(message), { code: 'ECONNRESET' });

/** Requests in the last second before the timeout could reach a connection that the provider is closing. */
const KEEP_ALIVE_MARGIN_MS = 1_000;

function parseKeepAliveMs(keepAlive: string | undefined): number {
  if (keepAlive === undefined) return Number.POSITIVE_INFINITY;
  const seconds = /timeout=(\d+)/.exec(keepAlive)?.[1];
  return seconds === undefined ? Number.POSITIVE_INFINITY : Number(seconds) * 1_000 - KEEP_ALIVE_MARGIN_MS;
}
