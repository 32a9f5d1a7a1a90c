import { ChunkMarks, UNDECIDED } from './chunkMarks.ts';
import { MalformedResponse, type ResponseHead, readResponseHead } from './responseHead.ts';
import type { HeaderLookup } from './responseHeaders.ts';

/** Told what a response brings, in order. */
export interface ResponseListener {
  /** Interim responses (1xx) are not told. */
  onHead(status: number, headers: HeaderLookup): void;
  /** Bytes of the body, without the marks between chunks; they belong to the listener. */
  onBody(bytes: Buffer): void;
  onEnd(): void;
}

const MAX_HEAD_BYTES = 65_536;
const END_OF_HEAD = Buffer.from('\r\n\r\n');

/**
 * Reads the response to one request from bytes that come in arbitrary pieces. The parts of the body that one read brings
 * are told as one, so that what arrived together can leave together.
 */
export class ResponseParser {
  readonly #listener: ResponseListener;
  #state: 'head' | 'data' | 'marks' | 'untilClose' | 'ended' = 'head';
  /** A head that has not come as a whole, with room for more of it. */
  #partOfHead: Buffer | undefined;
  #partBytes = 0;
  #marks: ChunkMarks | undefined;
  /** Bytes of the body, or of the chunk, that are to come. */
  #left = 0;
  #isSpoiled = false;
  isStopped = false;
  /** Of the response, once it has been told. */
  head: ResponseHead | undefined;

  constructor(listener: ResponseListener) {
    this.#listener = listener;
  }

  get hasEnded(): boolean {
    return this.#state === 'ended';
  }

  /** After its end: the connection is good for another request. */
  get mayBeFollowed(): boolean {
    return this.hasEnded && !this.#isSpoiled && this.head?.keepsAlive === true;
  }

  /** Nothing more is told. */
  stop(): void {
    this.isStopped = true;
  }

  /**
   * @param bytes are read before this returns, and not kept
   * @throws MalformedResponse
   */
  read(bytes: Buffer): void {
    if (this.isStopped || bytes.length === 0) return;
    if (this.hasEnded) {
      this.#isSpoiled = true;
      return;
    }
    let rest: Buffer | undefined = bytes;
    if (this.#state === 'head') {
      rest = this.#readHead(bytes);
      if (!rest) return;
      this.#begin();
      if (this.isStopped) return;
    }
    const read = this.#readBody(rest);
    if (!this.hasEnded) return;
    // What comes unasked behind a response would be taken for the answer to the next request.
    if (read < rest.length) this.#isSpoiled = true;
    if (!this.isStopped) this.#listener.onEnd();
  }

  /** The connection was closed in good order. @returns whether the response is whole */
  close(): boolean {
    if (this.#state === 'untilClose') {
      this.#state = 'ended';
      if (!this.isStopped) this.#listener.onEnd();
    }
    return this.hasEnded;
  }

  /** @returns what follows the head; undefined while it is not complete */
  #readHead(bytes: Buffer): Buffer | undefined {
    const searched = Math.max(0, this.#partBytes - END_OF_HEAD.length);
    const all = this.#partOfHead ? this.#addToHead(bytes) : bytes;
    const end = all.indexOf(END_OF_HEAD, searched);
    if ((end < 0 ? all.length : end) > MAX_HEAD_BYTES) {
      throw new MalformedResponse('the headers of the provider find no end');
    }
    if (end < 0) {
      if (!this.#partOfHead) this.#addToHead(bytes);
      return undefined;
    }
    this.#partOfHead = undefined;
    this.#partBytes = 0;
    const head = readResponseHead(all.toString('latin1', 0, end));
    const rest = all.subarray(end + END_OF_HEAD.length);
    if (head.status === 101) throw new MalformedResponse('the provider changed the protocol unasked');
    if (head.status < 200) return this.#readHead(rest);
    this.head = head;
    return rest;
  }

  /** @returns all that has come of the head; in twice the room when it is too small, so that single bytes cost no more */
  #addToHead(bytes: Buffer): Buffer {
    const length = this.#partBytes + bytes.length;
    let all = this.#partOfHead;
    if (!all || all.length < length) {
      all = Buffer.allocUnsafe(length * 2);
      this.#partOfHead?.copy(all, 0, 0, this.#partBytes);
      this.#partOfHead = all;
    }
    bytes.copy(all, this.#partBytes);
    this.#partBytes = length;
    return all.subarray(0, length);
  }

  #begin(): void {
    const { status, headers, framing } = this.head as ResponseHead;
    switch (framing.kind) {
      case 'length':
        this.#left = framing.bytes;
        this.#state = framing.bytes === 0 ? 'ended' : 'data';
        break;
      case 'chunked':
        this.#marks = new ChunkMarks();
        this.#state = 'marks';
        break;
      case 'untilClose':
        this.#left = Number.POSITIVE_INFINITY;
        this.#state = 'untilClose';
    }
    if (!this.isStopped) this.#listener.onHead(status, headers);
  }

  /** Tells what is in there of the body. @returns how many bytes belong to the response */
  #readBody(bytes: Buffer): number {
    let body: Buffer | undefined;
    let filled = 0;
    let at = 0;
    while (at < bytes.length && this.#state !== 'ended') {
      if (this.#state === 'marks') {
        this.#readMark(bytes[at] as number);
        at += 1;
        continue;
      }
      const end = Math.min(at + this.#left, bytes.length);
      body ??= Buffer.allocUnsafe(bytes.length - at);
      filled += bytes.copy(body, filled, at, end);
      this.#left -= end - at;
      at = end;
      if (this.#left === 0) this.#endData();
    }
    if (body) this.#listener.onBody(filled === body.length ? body : body.subarray(0, filled));
    return at;
  }

  #readMark(byte: number): void {
    const size = (this.#marks as ChunkMarks).read(byte);
    if (size === UNDECIDED) return;
    this.#left = size;
    this.#state = size === 0 ? 'ended' : 'data';
  }

  #endData(): void {
    if (!this.#marks) {
      this.#state = 'ended';
      return;
    }
    this.#marks.endChunk();
    this.#state = 'marks';
  }
}
