import type { Socket } from 'node:net';
import { parserErrorResponse, respondAndClose } from '../wire/protocolError.ts';
import { readPlainHead } from './plainHead.ts';
import { PlainRequest } from './plainRequest.ts';
import { KEEP_ALIVE_SECONDS, PlainResponse, type ResponseOwner } from './plainResponse.ts';

export interface PlainConnectionOptions {
  /** Whether plain requests to a URL (path and query) are served here. */
  readonly isPlainUrl: (url: string) => boolean;
  readonly serve: (request: PlainRequest, response: PlainResponse) => void;
  /** Hands a connection over to Node permanently. */
  readonly handOver: (socket: Socket) => void;
  /** Maximum time for a request to arrive. */
  readonly requestTimeoutMs: number;
  /** How long a client that is still sending gets to read its response before the connection is reset. */
  readonly lingerMs: number;
}

/** Maximum bytes of pipelined requests; a client that sends more has to wait for its responses. */
const MAX_PIPELINED_BYTES = 65_536;

/**
 * A client's connection while its requests are plain: reads and serves them one by one. Hands the connection over to Node at
 * the first request that is not plain.
 */
export class PlainConnection implements ResponseOwner {
  readonly #socket: Socket;
  readonly #options: PlainConnectionOptions;
  readonly #listeners: readonly [string, (...args: never[]) => void][];
  /** The latest request, until its body has arrived. */
  #request: PlainRequest | undefined;
  /** The latest response, also after its end. */
  response: PlainResponse | undefined;
  #hasResponded = true;
  #isClosing = false;
  #pipelined: Buffer[] = [];
  #pipelinedBytes = 0;
  /** When the connection was opened, its latest request began or its latest response ended. */
  #sinceMs = performance.now();

  constructor(socket: Socket, options: PlainConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#listeners = [
      ['data', (bytes: Buffer) => this.#read(bytes)],
      ['drain', () => this.#onDrain()],
      ['end', () => this.#onEnd()],
      ['timeout', () => socket.destroy()],
      ['error', () => socket.destroy()],
      ['close', () => this.#onClose()],
    ];
    for (const [event, listener] of this.#listeners) socket.on(event, listener as (...args: unknown[]) => void);
  }

  /** Enforces the request timeout and the keep-alive timeout. Called at an interval. @param now by `performance.now()` */
  sweep(now: number): void {
    const elapsedMs = now - this.#sinceMs;
    if (this.#request) {
      if (elapsedMs > this.#options.requestTimeoutMs) this.#reject('ERR_HTTP_REQUEST_TIMEOUT');
    } else if (this.#isIdle && elapsedMs > KEEP_ALIVE_SECONDS * 1_000) {
      this.#endConnection();
    }
  }

  /** No request is open and the client has received all responses. */
  get #isIdle(): boolean {
    return this.#hasResponded && this.#socket.writableLength === 0;
  }

  #read(bytes: Buffer): void {
    if (this.#isClosing || !this.#socket.writable) return;
    let rest = bytes;
    if (this.#request) {
      rest = bytes.subarray(this.#request.push(bytes));
      if (!this.#request.complete) return;
      this.#request = undefined;
    }
    if (rest.length === 0) return;
    if (this.#hasResponded && this.#pipelinedBytes === 0 && !this.#socket.writableNeedDrain) this.#beginRequest(rest);
    else this.#queue(rest);
  }

  #beginRequest(bytes: Buffer): void {
    const head = readPlainHead(bytes);
    if (!head || !this.#options.isPlainUrl(head.url)) {
      this.#handOver(bytes);
      return;
    }
    if (this.#socket.timeout) this.#socket.setTimeout(0);
    this.#sinceMs = performance.now();
    this.#hasResponded = false;
    const request = new PlainRequest(head, this.#socket);
    const response = new PlainResponse(this.#socket, this);
    this.response = response;
    const end = head.end + request.push(bytes.subarray(head.end));
    if (!request.complete) this.#request = request;
    if (end < bytes.length) this.#queue(bytes.subarray(end));
    this.#options.serve(request, response);
  }

  #queue(bytes: Buffer): void {
    this.#pipelined.push(bytes);
    this.#pipelinedBytes += bytes.length;
    if (this.#pipelinedBytes > MAX_PIPELINED_BYTES) this.#socket.pause();
  }

  onResponseEnd(keepsAlive: boolean): void {
    this.#hasResponded = true;
    this.#sinceMs = performance.now();
    this.#request?.discard();
    if (!keepsAlive) this.#endConnection();
    else if (this.#pipelinedBytes > 0) this.#beginPipelined();
  }

  /** Serves the next pipelined request, unless the client does not read its responses or can get none any more. */
  #beginPipelined(): void {
    if (this.#socket.writableNeedDrain || this.#isClosing || !this.#socket.writable) return;
    const bytes = Buffer.concat(this.#pipelined);
    this.#pipelined = [];
    this.#pipelinedBytes = 0;
    this.#socket.resume();
    this.#beginRequest(bytes);
  }

  #onDrain(): void {
    this.response?.drained();
    if (this.#hasResponded && this.#pipelinedBytes > 0) this.#beginPipelined();
  }

  /** The client has half-closed the connection. Treats it as disconnected, like Node: what it has pipelined is not served. */
  #onEnd(): void {
    if (this.#request) this.#reject('HPE_INVALID_EOF_STATE');
    else this.#socket.end();
  }

  #onClose(): void {
    this.#request?.disconnected();
    this.#request = undefined;
    this.response?.closed();
  }

  /** Sends an error unless a response has begun, and closes the connection. @param code an error code of Node's parser */
  #reject(code: string): void {
    if (this.response?.headersSent) {
      this.#endConnection();
      return;
    }
    this.#isClosing = true;
    respondAndClose(this.#socket, parserErrorResponse(Object.assign(new Error(code), { code })));
  }

  /** Closes the connection after a delay: if the client is still sending, closing at once would discard the response. */
  #endConnection(): void {
    this.#isClosing = true;
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
