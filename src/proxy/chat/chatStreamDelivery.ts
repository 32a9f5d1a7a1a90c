import type { ClientResponse } from '../../http/client/client.ts';
import { ProxyError } from '../errors/proxyError.ts';
import { eventsOf } from '../providerResponse/sse.ts';
import type { Delivery } from '../relay/delivery.ts';
import { beginStream, type ResponseHead } from '../relay/responseHead.ts';
import { sendError } from '../relay/sendJson.ts';
import { type ChunkHead, ChunkWriter, errorChunk } from './chunkWriter.ts';
import { ResponseReader } from './responseReader.ts';

/** Chat clients parse every `data:` line as a chunk, so that a sign of life can only be a comment (clients.md 5.3). */
const KEEPALIVE = ': keepalive\n\n';

/** A provider may speak for long without a word for the client: then its events are signs of life, and no more. */
const MAX_QUIET_MS = 10_000;

export interface ChatStreamOptions extends ResponseHead {
  readonly head: ChunkHead;
  readonly includesUsage: boolean;
  readonly now: () => number;
  readonly onDrain: () => void;
}

/**
 * Tells an answer in chunks, each when its event comes. It begins with the first that says something: before that,
 * another account may still answer.
 */
export class ChatStreamDelivery implements Delivery {
  readonly #response: ClientResponse;
  readonly #options: ChatStreamOptions;
  readonly #writer: ChunkWriter;
  #reader = new ResponseReader();
  /** A failure of the whole request has a status of its own as long as no chunk was sent. */
  readonly wantsEvents = false;
  hasBegun = false;
  streamedBytes = 0;
  #lastWriteAt: number;

  constructor(response: ClientResponse, options: ChatStreamOptions) {
    this.#response = response;
    this.#options = options;
    this.#writer = new ChunkWriter(options.head, options);
    this.#lastWriteAt = options.now();
    response.on('drain', options.onDrain);
  }

  pass(bytes: Buffer): boolean {
    this.streamedBytes += bytes.length;
    const text = this.#chunks(bytes);
    const now = this.#options.now();
    if (text === '') {
      if (now - this.#lastWriteAt >= MAX_QUIET_MS) this.keepAlive();
      return true;
    }
    if (!this.hasBegun) this.#begin();
    this.#lastWriteAt = now;
    return this.#response.write(text);
  }

  reset(): void {
    this.#reader = new ResponseReader();
    this.streamedBytes = 0;
  }

  finish(bytes: Buffer): void {
    this.streamedBytes += bytes.length;
    const text = this.#chunks(bytes) + this.#ending();
    if (!this.hasBegun) this.#begin(Buffer.byteLength(text));
    this.#response.end(text);
  }

  fail(error: ProxyError): void {
    if (this.hasBegun) this.#response.end(errorChunk(error.body));
    else sendError(this.#response, error, this.#options);
  }

  keepAlive(): void {
    if (!this.hasBegun) this.#begin();
    this.#lastWriteAt = this.#options.now();
    if (!this.#response.writableNeedDrain) this.#response.write(KEEPALIVE);
  }

  destroy(): void {
    this.#response.destroy();
  }

  #chunks(bytes: Buffer): string {
    let text = '';
    for (const event of eventsOf(bytes)) {
      for (const said of this.#reader.read(event)) text += this.#writer.delta(said);
    }
    return text;
  }

  #ending(): string {
    const { finish } = this.#reader;
    if (finish?.kind === 'finished') return this.#writer.finish(finish);
    const { message = 'The provider failed the request', type, code } = finish?.error ?? {};
    const overrides = { message, ...(type !== undefined && { type }), ...(code !== undefined && { code }) };
    return errorChunk(new ProxyError('upstream_error', {}, overrides).body);
  }

  #begin(length?: number): void {
    this.hasBegun = true;
    beginStream(this.#response, this.#options, length);
  }
}
