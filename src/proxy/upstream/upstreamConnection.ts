import type { Socket } from 'node:net';
import type { OpenSocket } from './openSocket.ts';
import { type ResponseListener, ResponseParser } from './responseParser.ts';
import { isWhole, type RequestBody, writeStreamed, writeWhole } from './writeRequest.ts';

/** Told what becomes of a request; after `onEnd` or `onError` nothing more comes, and after an abort nothing at all. */
export interface UpstreamListener extends ResponseListener {
  /** The connection could not be made or broke, or what comes over it is no response. */
  onError(error: Error): void;
}

/** What can be done about a request while it is under way; afterwards nothing happens. */
export interface UpstreamControl {
  readonly isPaused: boolean;
  /** Makes the provider wait. What has been read already is still told. */
  pause(): void;
  resume(): void;
  /** Cuts the connection. */
  abort(): void;
}

export interface ConnectionEvents {
  /** It can take the next request. */
  onFree(connection: UpstreamConnection): void;
  onGone(connection: UpstreamConnection): void;
}

/** One connection to the provider; one request after the other. */
export class UpstreamConnection {
  readonly #socket: Socket;
  readonly #events: ConnectionEvents;
  #transfer: Transfer | undefined;
  /** How long the provider keeps it while nothing is asked, in milliseconds, as far as it said so. */
  keptForMs = Number.POSITIVE_INFINITY;

  constructor(open: OpenSocket, events: ConnectionEvents) {
    this.#events = events;
    this.#socket = open((bytes) => this.#read(bytes))
      .on('end', () => this.#close())
      .on('error', (error) => this.#fail(error))
      .on('close', () => {
        this.#fail(new Error('the connection was closed'));
        events.onGone(this);
      });
  }

  /**
   * Takes a request; only while it is free. The listener is told nothing before this returns, and nothing is written
   * before `write`.
   */
  take(listener: UpstreamListener): UpstreamControl {
    this.#transfer = new Transfer(this.#socket, listener);
    return this.#transfer;
  }

  /** Writes the request that was taken, unless it was given up. @param head with its empty line */
  write(head: string, body: RequestBody): void {
    const transfer = this.#transfer;
    if (!transfer || transfer.parser.isStopped) return;
    if (isWhole(body)) {
      writeWhole(this.#socket, head, body);
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
      // Nothing was asked: it would be taken for the answer to the next request.
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
    if (!parser.mayBeFollowed || !isSent || this.#socket.writableLength > 0) {
      this.#socket.destroy();
      return;
    }
    transfer.resume();
    this.keptForMs = keptFor(parser.head?.headers.get('keep-alive'));
    this.#events.onFree(this);
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

/** A request and its response; when the response has ended the connection is somebody else's. */
class Transfer implements UpstreamControl {
  readonly #socket: Socket;
  readonly listener: UpstreamListener;
  readonly parser: ResponseParser;
  isPaused = false;
  /** All of the request has been handed to the socket. */
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

/** A request that sets out in the last second would meet a closed door. */
const MARGIN_MS = 1_000;

function keptFor(keepAlive = ''): number {
  const seconds = /timeout=(\d+)/.exec(keepAlive)?.[1];
  return seconds === undefined ? Number.POSITIVE_INFINITY : Number(seconds) * 1_000 - MARGIN_MS;
}
