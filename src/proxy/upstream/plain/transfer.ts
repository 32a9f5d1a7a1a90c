import type { Socket } from 'node:net';
import type { RequestBody, UpstreamControl, UpstreamListener } from '../upstreamPool.ts';
import { ResponseParser } from './responseParser.ts';

const NO_BODY: readonly Buffer[] = [];

/** What a request needs of its connection. */
interface Carrier {
  /** Writes a request, unless it was aborted or the connection was closed since it was assigned. */
  write(transfer: Transfer): void;
  destroy(): void;
}

/** A request and its response. Once the response has ended, the connection may belong to another request. */
export class Transfer implements UpstreamControl {
  /** Ends with the empty line. */
  readonly head: string;
  readonly listener: UpstreamListener;
  readonly parser: ResponseParser;
  body: RequestBody;
  connection: Carrier | undefined;
  #socket: Socket | undefined;
  /** Whether the request is sent on another connection if this one closes before the first byte of a response. */
  canMove = false;
  isPaused = false;
  isWritten = false;
  /** The socket has accepted the complete request. */
  isSent = false;

  constructor(head: string, body: RequestBody, listener: UpstreamListener) {
    this.head = head;
    this.body = body;
    this.listener = listener;
    this.parser = new ResponseParser(listener);
  }

  /** @param isKept whether the connection has served another request, so that the provider may be closing it */
  assignTo(connection: Carrier, socket: Socket, isKept: boolean): void {
    this.connection = connection;
    this.#socket = socket;
    this.canMove = isKept;
    this.isWritten = false;
    this.isSent = false;
    if (this.isPaused) socket.pause();
  }

  /** The request is not sent again. Releases its body. */
  stay(): void {
    this.canMove = false;
    this.body = NO_BODY;
  }

  fail(error: Error): void {
    this.parser.stop();
    this.listener.onError(error);
  }

  pause(): void {
    if (this.parser.hasEnded) return;
    this.isPaused = true;
    this.#socket?.pause();
  }

  resume(): void {
    if (!this.isPaused) return;
    this.isPaused = false;
    this.#socket?.resume();
  }

  abort(): void {
    if (this.parser.hasEnded) return;
    this.parser.stop();
    this.connection?.destroy();
  }
}
