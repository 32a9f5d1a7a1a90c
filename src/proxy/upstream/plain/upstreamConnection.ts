import type { Socket } from 'node:net';
import { isComplete, type RequestBody, type UpstreamControl, type UpstreamListener } from '../upstreamPool.ts';
import type { OpenSocket } from './openSocket.ts';
import { ResponseParser } from './responseParser.ts';
import { writeComplete, writeStreamed } from './writeRequest.ts';

/** Callbacks of a connection. */
export interface ConnectionEvents {
  /** The connection can take the next request. */
  onIdle(connection: UpstreamConnection): void;
  onClosed(connection: UpstreamConnection): void;
}

/** One connection to the provider; serves one request at a time. */
export class UpstreamConnection {
  readonly #socket: Socket;
  readonly #events: ConnectionEvents;
  #transfer: Transfer | undefined;
  /** How long the provider keeps an idle connection open, in milliseconds; infinite unless it sends `Keep-Alive`. */
  keepAliveMs = Number.POSITIVE_INFINITY;

  constructor(openSocket: OpenSocket, events: ConnectionEvents) {
    this.#events = events;
    this.#socket = openSocket((bytes) => this.#read(bytes))
      .on('end', () => this.#close())
      .on('error', (error) => this.#fail(error))
      .on('close', () => {
        this.#fail(new Error('the connection was closed'));
        events.onClosed(this);
      });
  }

  /** Assigns a request to an idle connection. The listener is called only after this returns; `write` sends the request. */
  assign(listener: UpstreamListener): UpstreamControl {
    this.#transfer = new Transfer(this.#socket, listener);
    return this.#transfer;
  }

  /** Writes the assigned request unless it was aborted. @param head ends with the empty line */
  write(head: string, body: RequestBody): void {
    const transfer = this.#transfer;
    if (!transfer || transfer.parser.isStopped) return;
    if (isComplete(body)) {
      writeComplete(this.#socket, head, body);
      transfer.isSent = true;
      return;
    }
    writeStreamed(this.#socket, head, body).then(
      () => {
        transfer.isSent = true;
      },
      (error: Error) => this.#fail(error),
    );
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #read(bytes: Buffer): void {
    const transfer = this.#transfer;
    if (!transfer) {
      // Otherwise unsolicited bytes would be parsed as the response to the next request.
      this.#socket.destroy();
      return;
    }
    try {
      transfer.parser.read(bytes);
      if (transfer.parser.hasEnded) this.#end(transfer);
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #close(): void {
    const transfer = this.#transfer;
    if (!transfer) return;
    if (transfer.parser.close()) this.#end(transfer);
    else this.#fail(new Error('the provider closed the connection'));
  }

  #end(transfer: Transfer): void {
    const { parser, isSent } = transfer;
    this.#transfer = undefined;
    if (!parser.canReuseConnection || !isSent || this.#socket.writableLength > 0) {
      this.#socket.destroy();
      return;
    }
    transfer.resume();
    this.keepAliveMs = parseKeepAliveMs(parser.head?.headers.get('keep-alive'));
    this.#events.onIdle(this);
  }

  #fail(error: Error): void {
    const transfer = this.#transfer;
    this.#transfer = undefined;
    this.#socket.destroy();
    if (!transfer || transfer.parser.isStopped) return;
    transfer.parser.stop();
    transfer.listener.onError(error);
  }
}

/** A request and its response. Once the response has ended, the connection may belong to another request. */
class Transfer implements UpstreamControl {
  readonly #socket: Socket;
  readonly listener: UpstreamListener;
  readonly parser: ResponseParser;
  isPaused = false;
  /** The socket has accepted the complete request. */
  isSent = false;

  constructor(socket: Socket, listener: UpstreamListener) {
    this.#socket = socket;
    this.listener = listener;
    this.parser = new ResponseParser(listener);
  }

  pause(): void {
    if (this.parser.hasEnded) return;
    this.isPaused = true;
    this.#socket.pause();
  }

  resume(): void {
    if (!this.isPaused) return;
    this.isPaused = false;
    this.#socket.resume();
  }

  abort(): void {
    if (this.parser.hasEnded) return;
    this.parser.stop();
    this.#socket.destroy();
  }
}

/** Requests in the last second before the timeout could reach a connection that the provider is closing. */
const KEEP_ALIVE_MARGIN_MS = 1_000;

function parseKeepAliveMs(keepAlive = ''): number {
  const seconds = /timeout=(\d+)/.exec(keepAlive)?.[1];
  return seconds === undefined ? Number.POSITIVE_INFINITY : Number(seconds) * 1_000 - KEEP_ALIVE_MARGIN_MS;
}
