import type { Socket } from 'node:net';
import type { PlainHead } from './plainHead.ts';

/** Told what comes of a body. */
export interface BodyListener {
  onData(piece: Buffer): void;
  onEnd(): void;
  /** The client hung up before the end. */
  onDisconnect(): void;
}

/** A request whose head was read by `readPlainHead`; the names are those of Node's `IncomingMessage`. */
export class PlainRequest {
  readonly method = 'POST';
  readonly httpVersion = '1.1';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly rawHeaders: string[];
  readonly socket: Socket;
  #left: number;
  #pieces: Buffer[] | undefined = [];
  #listener: BodyListener | undefined;

  constructor(head: PlainHead, socket: Socket) {
    this.url = head.url;
    this.headers = head.headers;
    this.rawHeaders = head.rawHeaders as string[];
    this.socket = socket;
    this.#left = head.contentLength;
  }

  /** All of the body has come. */
  get complete(): boolean {
    return this.#left === 0;
  }

  /** Tells the body, at once what of it has come already. */
  receive(listener: BodyListener): void {
    const pieces = this.#pieces ?? [];
    this.#pieces = undefined;
    this.#listener = listener;
    for (const piece of pieces) listener.onData(piece);
    if (this.complete) this.#end();
  }

  /** Nobody wants what is still to come. */
  discard(): void {
    this.#pieces = undefined;
    this.#listener = undefined;
  }

  /** For the connection. @returns how many of these bytes belong to the body */
  push(bytes: Buffer): number {
    const length = Math.min(this.#left, bytes.length);
    this.#left -= length;
    const piece = length === bytes.length ? bytes : bytes.subarray(0, length);
    if (this.#listener) this.#listener.onData(piece);
    else this.#pieces?.push(piece);
    if (this.complete) this.#end();
    return length;
  }

  /** For the connection: it was closed. */
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
