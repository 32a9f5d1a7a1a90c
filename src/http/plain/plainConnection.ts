import type { Socket } from 'node:net';
import { parserErrorResponse, respondAndClose } from '../wire/protocolError.ts';
import { readPlainHead } from './plainHead.ts';
import { PlainRequest } from './plainRequest.ts';
import { KEEP_ALIVE_SECONDS, PlainResponse } from './plainResponse.ts';

export interface PlainOptions {
  /** Whether requests to a path are read here. @param url path and query */
  readonly isPlainUrl: (url: string) => boolean;
  readonly serve: (request: PlainRequest, response: PlainResponse) => void;
  /** Leaves a connection to Node, for good. */
  readonly handOver: (socket: Socket) => void;
  /** How long a request may take to arrive. */
  readonly requestMs: number;
  /** How long a client that is still talking may take to notice that it has been answered. */
  readonly lingerMs: number;
}

/** A client that sends more than this ahead of its answers has to wait for them. */
const MAX_AHEAD_BYTES = 65_536;

/**
 * A client's connection as long as its requests are plain: one after the other is read and answered here. The first that
 * is not goes to Node's own parser with all that follows.
 */
export class PlainConnection {
  readonly #socket: Socket;
  readonly #options: PlainOptions;
  readonly #listeners: readonly [string, (...args: never[]) => void][];
  /** Until its body has come. */
  #request: PlainRequest | undefined;
  /** The latest, also after its end. */
  response: PlainResponse | undefined;
  #isAnswered = true;
  #isLeaving = false;
  #ahead: Buffer[] = [];
  #aheadBytes = 0;
  /** When it was opened, its latest request began, or its latest answer ended. */
  #sinceMs = performance.now();

  constructor(socket: Socket, options: PlainOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#listeners = [
      ['data', (bytes: Buffer) => this.#read(bytes)],
      ['drain', () => this.#drained()],
      ['end', () => this.#ended()],
      ['timeout', () => socket.destroy()],
      ['error', () => socket.destroy()],
      ['close', () => this.#closed()],
    ];
    for (const [event, listener] of this.#listeners) socket.on(event, listener as (...args: unknown[]) => void);
  }

  /** Ends a connection that has had its time. @param now of `performance.now` */
  sweep(now: number): void {
    const sinceMs = now - this.#sinceMs;
    if (this.#request) {
      if (sinceMs > this.#options.requestMs) this.#refuse('ERR_HTTP_REQUEST_TIMEOUT');
    } else if (this.#isIdle && sinceMs > KEEP_ALIVE_SECONDS * 1_000) {
      this.#leave();
    }
  }

  /** Nothing is under way, in neither direction. */
  get #isIdle(): boolean {
    return this.#isAnswered && this.#socket.writableLength === 0;
  }

  #read(bytes: Buffer): void {
    if (this.#isLeaving || !this.#socket.writable) return;
    let rest = bytes;
    if (this.#request) {
      rest = bytes.subarray(this.#request.push(bytes));
      if (!this.#request.complete) return;
      this.#request = undefined;
    }
    if (rest.length === 0) return;
    if (this.#isAnswered && this.#aheadBytes === 0 && !this.#socket.writableNeedDrain) this.#begin(rest);
    else this.#keep(rest);
  }

  #begin(bytes: Buffer): void {
    const head = readPlainHead(bytes);
    if (!head || !this.#options.isPlainUrl(head.url)) {
      this.#handOver(bytes);
      return;
    }
    if (this.#socket.timeout) this.#socket.setTimeout(0);
    this.#sinceMs = performance.now();
    this.#isAnswered = false;
    const request = new PlainRequest(head, this.#socket);
    const response = new PlainResponse(this.#socket, this);
    this.response = response;
    const rest = head.end + request.push(bytes.subarray(head.end));
    if (!request.complete) this.#request = request;
    if (rest < bytes.length) this.#keep(bytes.subarray(rest));
    this.#options.serve(request, response);
  }

  /** What comes before its turn waits for it. */
  #keep(bytes: Buffer): void {
    this.#ahead.push(bytes);
    this.#aheadBytes += bytes.length;
    if (this.#aheadBytes > MAX_AHEAD_BYTES) this.#socket.pause();
  }

  onAnswered(keepsAlive: boolean): void {
    this.#isAnswered = true;
    this.#sinceMs = performance.now();
    this.#request?.discard();
    if (!keepsAlive) this.#leave();
    else if (this.#aheadBytes > 0) this.#goOn();
  }

  /** Takes up what came ahead. Clients that do not read their answers get no further ones. */
  #goOn(): void {
    if (this.#socket.writableNeedDrain || this.#socket.destroyed) return;
    const bytes = Buffer.concat(this.#ahead);
    this.#ahead = [];
    this.#aheadBytes = 0;
    this.#socket.resume();
    this.#begin(bytes);
  }

  #drained(): void {
    this.response?.drained();
    if (this.#isAnswered && this.#aheadBytes > 0) this.#goOn();
  }

  /** The client says no more: like Node, take it for gone. */
  #ended(): void {
    if (this.#request) this.#refuse('HPE_INVALID_EOF_STATE');
    else this.#socket.end();
  }

  #closed(): void {
    this.#request?.disconnected();
    this.#request = undefined;
    this.response?.closed();
  }

  /** Says what is wrong with the request, unless it has been answered already. */
  #refuse(code: string): void {
    if (this.response?.headersSent) {
      this.#leave();
      return;
    }
    this.#isLeaving = true;
    respondAndClose(this.#socket, parserErrorResponse(Object.assign(new Error(code), { code })));
  }

  /** No request follows. Closing at once would reset the connection of a client that still sends, and with it the answer. */
  #leave(): void {
    this.#isLeaving = true;
    const socket = this.#socket;
    socket.end(() => setTimeout(() => socket.destroy(), this.#options.lingerMs).unref());
  }

  #handOver(bytes: Buffer): void {
    const socket = this.#socket;
    for (const [event, listener] of this.#listeners) socket.off(event, listener as (...args: unknown[]) => void);
    socket.pause();
    socket.unshift(bytes);
    this.#options.handOver(socket);
    socket.resume();
  }
}
