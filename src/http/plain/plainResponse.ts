import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type HeaderBlock, headerLine } from '../wire/headers.ts';

/** The connection of a response. */
export interface ResponseOwner {
  /** The socket has accepted the complete response. @param keepsAlive whether another request may follow */
  onResponseEnd(keepsAlive: boolean): void;
}

/** How long an idle connection is kept; sent to clients in the same form as by Node. */
export const KEEP_ALIVE_SECONDS = 75;

const KEEP_ALIVE = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_SECONDS}\r\n`;

/** Up to this size, copying into preallocated memory is cheaper than writing several buffers. */
const SCRATCH_BYTES = 65_536;
let scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

const NO_BLOCKS: readonly never[] = [];
const LAST_CHUNK = '0\r\n\r\n';

/** The response to a plain request; its members have the names of Node's `ServerResponse`. */
export class PlainResponse {
  readonly #socket: Socket;
  readonly #owner: ResponseOwner;
  /** Sent with the first bytes of the body. */
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

  /** The operating system has accepted the complete response. */
  get writableFinished(): boolean {
    return this.writableEnded && this.#socket.writableLength === 0;
  }

  get writableNeedDrain(): boolean {
    return this.#socket.writableNeedDrain;
  }

  /** One listener per event. `drain`: the client has caught up. `close`: the connection closed before the response ended. */
  on(event: 'drain' | 'close', listener: () => void): this {
    if (event === 'drain') this.#onDrain = listener;
    else this.#onClose = listener;
    return this;
  }

  once(event: 'close', listener: () => void): this {
    return this.on(event, listener);
  }

  /**
   * @param headers alternating lower-case names and values
   * @param shared sent before them; must not contain `content-length` or `connection`
   * @throws TypeError for a value with invalid characters
   */
  writeHead(status: number, headers: readonly string[], shared: readonly HeaderBlock[] = NO_BLOCKS): this {
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

  /** @returns false if the client reads too slowly; wait for 'drain' */
  write(data: Buffer | string): boolean {
    if (data.length === 0 || !this.#isOpen) return true;
    return this.#send(data, '');
  }

  end(data: Buffer | string = ''): this {
    if (this.#isOpen) this.#send(data, this.#isChunked ? LAST_CHUNK : '');
    if (!this.writableEnded) {
      this.writableEnded = true;
      // The connection keeps its latest response, which must not keep the listeners alive.
      this.#onDrain = undefined;
      this.#onClose = undefined;
      this.#owner.onResponseEnd(this.#keepsAlive);
    }
    return this;
  }

  /** The client sees a broken connection. */
  destroy(): this {
    this.#socket.destroy();
    return this;
  }

  /** Called by the connection. */
  drained(): void {
    this.#onDrain?.();
  }

  /** Called by the connection when it is closed. */
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

  /** Writes the head if it is not sent yet, the data (framed if chunked) and the ending, with one system call. */
  #send(data: Buffer | string, ending: string): boolean {
    const head = this.#takeHead();
    const size = typeof data === 'string' ? Buffer.byteLength(data) : data.length;
    const isChunk = this.#isChunked && size > 0;
    const before = isChunk ? `${head}${size.toString(16)}\r\n` : head;
    const after = isChunk ? `\r\n${ending}` : ending;
    const length = before.length + size + after.length;
    if (length > SCRATCH_BYTES)
      return this.#sendPieces(before, typeof data === 'string' ? Buffer.from(data) : data, after);
    // Bytes queued behind others get memory of their own size: a slow client may have many small pieces queued.
    const output = this.#socket.writableLength > 0 ? Buffer.allocUnsafe(length) : scratch.subarray(0, length);
    output.write(before, 'latin1');
    // A text is encoded in its place, without a buffer of its own.
    if (typeof data === 'string') output.write(data, before.length, 'utf8');
    else data.copy(output, before.length);
    if (after !== '') output.write(after, before.length + size, 'latin1');
    const hasRoom = this.#socket.write(output);
    // Unless the system accepted all bytes, the socket still references this memory.
    if (output.buffer === scratch.buffer && this.#socket.writableLength > 0)
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

/** @returns the Date header (RFC 9110 section 6.6.1), built once a second */
function dateLine(): string {
  const now = Math.floor(Date.now() / 1_000);
  if (now !== second) {
    second = now;
    line = `Date: ${new Date(now * 1_000).toUTCString()}\r\n`;
  }
  return line;
}
