import type { Socket } from 'node:net';
import type { PlainHead } from './plainHead.ts';

/** Receives a request's body. */
export interface BodyListener {
  onData(piece: Buffer): void;
  onEnd(): void;
  /** The client disconnected before the end. */
  onDisconnect(): void;
}

/** A plain request; its members have the names of Node's `IncomingMessage`. */
export class PlainRequest {
  readonly method = 'POST';
  readonly httpVersion = '1.1';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly rawHeaders: string[];
  readonly socket: Socket;
  #remaining: number;
  #pieces: Buffer[] | undefined = [];
  #listener: BodyListener | undefined;

  constructor(head: PlainHead, socket: Socket) {
    this.url = head.url;
    this.headers = head.headers;
    this.rawHeaders = head.rawHeaders as string[];
    this.socket = socket;
    this.#remaining = head.contentLength;
  }

  /** Whether all of the body has arrived. */
  get complete(): boolean {
    return this.#remaining === 0;
  }

  /** Delivers the body to the listener, beginning with the pieces that have arrived already. */
  receive(listener: BodyListener): void {
    const pieces = this.#pieces ?? [];
    this.#pieces = undefined;
    this.#listener = listener;
    for (const piece of pieces) listener.onData(piece);
    if (this.complete) this.#end();
  }

  /** Discards the rest of the body. */
  discard(): void {
    this.#pieces = undefined;
    this.#listener = undefined;
  }

  /** Called by the connection. @returns how many of these bytes belong to the body */
  push(bytes: Buffer): number {
    const length = Math.min(this.#remaining, bytes.length);
    this.#remaining -= length;
    const piece = length === bytes.length ? bytes : bytes.subarray(0, length);
    if (this.#listener) this.#listener.onData(piece);
    else this.#pieces?.push(piece);
    if (this.complete) this.#end();
    return length;
  }

  /** Called by the connection when it is closed. */
  disconnected(): void {
    if (this.complete) return;
    const listener = this.#listener;
    this.discard();
    listener?.onDisconnect();
  }

  #end(): void {
    const listener = this.#listener;
    this.#listener = undefined;
    listener?.onEnd();
  }
}
