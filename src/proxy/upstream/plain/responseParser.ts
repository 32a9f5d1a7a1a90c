import type { ResponseListener } from '../upstreamPool.ts';
import { ChunkFraming, INCOMPLETE } from './chunkFraming.ts';
import { MalformedResponse } from './malformedResponse.ts';
import { PartialHead } from './partialHead.ts';
import { type ResponseHead, readResponseHead } from './responseHead.ts';

const MAX_HEAD_BYTES = 65_536;
const END_OF_HEAD = Buffer.from('\r\n\r\n');

/**
 * Parses the response to one request from bytes that arrive in arbitrary pieces. The body bytes of one read are delivered as
 * one buffer, even from several chunks, so that the relay can write them at once.
 */
export class ResponseParser {
  readonly #listener: ResponseListener;
  #state: 'head' | 'data' | 'framing' | 'untilClose' | 'ended' = 'head';
  /** The part of the head that has arrived, with room for more. */
  #partialHead: Buffer | undefined;
  #partialHeadBytes = 0;
  #partialHeadCheck: PartialHead | undefined;
  #framing: ChunkFraming | undefined;
  /** Bytes of the body, or of the current chunk, that are still to be read. */
  #remaining = 0;
  /** Bytes that do not belong to the response followed it. */
  #hasExcess = false;
  isStopped = false;
  /** Set once the head has been read. */
  head: ResponseHead | undefined;

  constructor(listener: ResponseListener) {
    this.#listener = listener;
  }

  get hasEnded(): boolean {
    return this.#state === 'ended';
  }

  /** Whether the connection can take another request. */
  get canReuseConnection(): boolean {
    return this.hasEnded && !this.#hasExcess && this.head?.keepsAlive === true;
  }

  /** Ends the calls of the listener. */
  stop(): void {
    this.isStopped = true;
  }

  /**
   * @param bytes are copied or consumed before this returns
   * @throws MalformedResponse
   */
  read(bytes: Buffer): void {
    if (this.isStopped || bytes.length === 0) return;
    if (this.hasEnded) {
      this.#hasExcess = true;
      return;
    }
    let rest: Buffer | undefined = bytes;
    if (this.#state === 'head') {
      rest = this.#readHead(bytes);
      if (!rest) return;
      this.#beginBody();
      if (this.isStopped) return;
    }
    const consumed = this.#readBody(rest);
    if (!this.hasEnded) return;
    // Otherwise unsolicited bytes would be parsed as the response to the next request.
    if (consumed < rest.length) this.#hasExcess = true;
    if (!this.isStopped) this.#listener.onEnd();
  }

  /** The provider closed the connection in an orderly way. @returns whether the response is complete */
  close(): boolean {
    if (this.#state === 'untilClose') {
      this.#state = 'ended';
      if (!this.isStopped) this.#listener.onEnd();
    }
    return this.hasEnded;
  }

  /** @returns the bytes after the head; undefined while the head is incomplete */
  #readHead(bytes: Buffer): Buffer | undefined {
    let rest = bytes;
    while (rest.length > 0) {
      const searchFrom = Math.max(0, this.#partialHeadBytes - END_OF_HEAD.length);
      const received = this.#partialHead ? this.#appendToHead(rest) : rest;
      const end = received.indexOf(END_OF_HEAD, searchFrom);
      if ((end < 0 ? received.length : end) > MAX_HEAD_BYTES) {
        throw new MalformedResponse(`the response headers exceed ${MAX_HEAD_BYTES} bytes`);
      }
      if (end < 0) {
        this.#partialHeadCheck ??= new PartialHead();
        this.#partialHeadCheck.read(rest);
        if (!this.#partialHead) this.#appendToHead(rest);
        return undefined;
      }
      this.#partialHead = undefined;
      this.#partialHeadBytes = 0;
      this.#partialHeadCheck = undefined;
      const head = readResponseHead(received.toString('latin1', 0, end));
      rest = received.subarray(end + END_OF_HEAD.length);
      if (head.status === 101) throw new MalformedResponse('the provider switched protocols without being asked');
      if (head.status >= 200) {
        this.head = head;
        return rest;
      }
    }
    return undefined;
  }

  /** Grows by doubling, so that a head that arrives byte by byte is not copied for each. @returns the head so far */
  #appendToHead(bytes: Buffer): Buffer {
    const length = this.#partialHeadBytes + bytes.length;
    let partial = this.#partialHead;
    if (!partial || partial.length < length) {
      partial = Buffer.allocUnsafe(length * 2);
      this.#partialHead?.copy(partial, 0, 0, this.#partialHeadBytes);
      this.#partialHead = partial;
    }
    bytes.copy(partial, this.#partialHeadBytes);
    this.#partialHeadBytes = length;
    return partial.subarray(0, length);
  }

  #beginBody(): void {
    const { status, headers, framing } = this.head as ResponseHead;
    switch (framing.kind) {
      case 'length':
        this.#remaining = framing.bytes;
        this.#state = framing.bytes === 0 ? 'ended' : 'data';
        break;
      case 'chunked':
        this.#framing = new ChunkFraming();
        this.#state = 'framing';
        break;
      case 'untilClose':
        this.#remaining = Number.POSITIVE_INFINITY;
        this.#state = 'untilClose';
    }
    if (!this.isStopped) this.#listener.onHead(status, headers);
  }

  /** Delivers the body bytes. @returns how many bytes belong to the response */
  #readBody(bytes: Buffer): number {
    let body: Buffer | undefined;
    let filled = 0;
    let offset = 0;
    while (offset < bytes.length && this.#state !== 'ended') {
      if (this.#state === 'framing') {
        this.#readFraming(bytes[offset] as number);
        offset += 1;
        continue;
      }
      const end = Math.min(offset + this.#remaining, bytes.length);
      body ??= Buffer.allocUnsafe(bytes.length - offset);
      filled += bytes.copy(body, filled, offset, end);
      this.#remaining -= end - offset;
      offset = end;
      if (this.#remaining === 0) this.#endData();
    }
    if (body) this.#listener.onBody(filled === body.length ? body : body.subarray(0, filled));
    return offset;
  }

  #readFraming(byte: number): void {
    const size = (this.#framing as ChunkFraming).read(byte);
    if (size === INCOMPLETE) return;
    this.#remaining = size;
    this.#state = size === 0 ? 'ended' : 'data';
  }

  #endData(): void {
    if (!this.#framing) {
      this.#state = 'ended';
      return;
    }
    this.#framing.endChunk();
    this.#state = 'framing';
  }
}
