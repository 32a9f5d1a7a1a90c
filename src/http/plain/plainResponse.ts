import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type HeaderBlock, headerLine } from '../wire/headerBlock.ts';

/** Told by a response about itself. */
export interface ResponseOwner {
  /** All of the answer has been handed to the socket. @param keepsAlive another request may follow */
  onAnswered(keepsAlive: boolean): void;
}

/** Told to clients, as Node tells it: how long a connection is kept for the next request. */
export const KEEP_ALIVE_SECONDS = 75;

const KEEP_ALIVE = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_SECONDS}\r\n`;

/** Up to here a copy into memory that is there already is cheaper than a vector of buffers. */
const SCRATCH_BYTES = 65_536;
let scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

const NONE: readonly never[] = [];
const LAST_CHUNK = '0\r\n\r\n';

/** The answer to a request of `readPlainHead`; the names are those of Node's `ServerResponse`. */
export class PlainResponse {
  readonly #socket: Socket;
  readonly #owner: ResponseOwner;
  /** Goes with the first bytes of the body. */
  #head = '';
  #isChunked = false;
  #keepsAlive = true;
  #onDrain: (() => void) | undefined;
  #onClose: (() => void) | undefined;
  headersSent = false;
  writableEnded = false;

  constructor(socket: Socket, owner: ResponseOwner) {
    this.#socket = socket;
    this.#owner = owner;
  }

  get destroyed(): boolean {
    return this.#socket.destroyed;
  }

  /** The system has taken all of it. */
  get writableFinished(): boolean {
    return this.writableEnded && this.#socket.writableLength === 0;
  }

  get writableNeedDrain(): boolean {
    return this.#socket.writableNeedDrain;
  }

  /** One listener each: the client has caught up; the connection was closed before the answer's end. */
  on(event: 'drain' | 'close', listener: () => void): this {
    if (event === 'drain') this.#onDrain = listener;
    else this.#onClose = listener;
    return this;
  }

  once(event: 'close', listener: () => void): this {
    return this.on(event, listener);
  }

  /**
   * @param headers names in lower case and values in turn
   * @param shared stands before them; neither the length nor the connection is among it
   * @throws TypeError when a value is not fit for a head
   */
  writeHead(status: number, headers: readonly string[], shared: readonly HeaderBlock[] = NONE): this {
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
    for (const { lines } of shared) head += lines;
    this.#isChunked = true;
    for (let index = 0; index + 1 < headers.length; index += 2) {
      const name = headers[index] as string;
      if (name === 'content-length') this.#isChunked = false;
      else if (name === 'connection') this.#keepsAlive = false;
      head += headerLine(name, headers[index + 1] as string);
    }
    head += this.#keepsAlive ? dateLine() + KEEP_ALIVE : dateLine();
    this.#head = this.#isChunked ? `${head}Transfer-Encoding: chunked\r\n\r\n` : `${head}\r\n`;
    this.headersSent = true;
    return this;
  }

  /** @returns false when the client is slower than this; 'drain' tells when to go on */
  write(data: Buffer | string): boolean {
    if (data.length === 0 || !this.#isOpen) return true;
    return this.#send(typeof data === 'string' ? Buffer.from(data) : data, '');
  }

  end(data: Buffer | string = ''): this {
    if (this.#isOpen)
      this.#send(typeof data === 'string' ? Buffer.from(data) : data, this.#isChunked ? LAST_CHUNK : '');
    if (!this.writableEnded) {
      this.writableEnded = true;
      // The connection remembers its latest answer, which must not keep alive what waited for it.
      this.#onDrain = undefined;
      this.#onClose = undefined;
      this.#owner.onAnswered(this.#keepsAlive);
    }
    return this;
  }

  /** The client sees a broken connection. */
  destroy(): this {
    this.#socket.destroy();
    return this;
  }

  /** For the connection. */
  drained(): void {
    this.#onDrain?.();
  }

  /** For the connection: it was closed. */
  closed(): void {
    this.#onClose?.();
  }

  get #isOpen(): boolean {
    return !this.writableEnded && this.#socket.writable;
  }

  #takeHead(): string {
    const head = this.#head;
    this.#head = '';
    return head;
  }

  /** Writes what there is of the head, the bytes as a chunk or bare, and the end, by one call of the system. */
  #send(bytes: Buffer, ending: string): boolean {
    const head = this.#takeHead();
    const isChunk = this.#isChunked && bytes.length > 0;
    const before = isChunk ? `${head}${bytes.length.toString(16)}\r\n` : head;
    const after = isChunk ? `\r\n${ending}` : ending;
    const length = before.length + bytes.length + after.length;
    if (length > SCRATCH_BYTES) return this.#sendPieces(before, bytes, after);
    // What waits behind other bytes gets memory of its own size: a slow client may have many small pieces waiting.
    const all = this.#socket.writableLength > 0 ? Buffer.allocUnsafe(length) : scratch.subarray(0, length);
    all.write(before, 'latin1');
    bytes.copy(all, before.length);
    if (after !== '') all.write(after, before.length + bytes.length, 'latin1');
    const hasRoom = this.#socket.write(all);
    // The system took it, or the socket holds on to these bytes: then they are its own from now on.
    if (all.buffer === scratch.buffer && this.#socket.writableLength > 0)
      scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
    return hasRoom;
  }

  #sendPieces(before: string, bytes: Buffer, after: string): boolean {
    const socket = this.#socket;
    socket.cork();
    socket.write(before, 'latin1');
    let hasRoom = socket.write(bytes);
    if (after !== '') hasRoom = socket.write(after, 'latin1');
    socket.uncork();
    return hasRoom;
  }
}

let second = 0;
let line = '';

/** As heads carry it (RFC 9110 section 6.6.1), made once a second. */
function dateLine(): string {
  const now = Math.floor(Date.now() / 1_000);
  if (now !== second) {
    second = now;
    line = `Date: ${new Date(now * 1_000).toUTCString()}\r\n`;
  }
  return line;
}
