import type { ClientResponse } from '../../http/client/clientRequest.ts';
import { ProxyError } from '../errors/proxyError.ts';
import { endOfEventText, readEvent } from '../providerResponse/sse.ts';
import type { Delivery } from '../relay/delivery.ts';
import { beginStream, type ResponseHead } from '../relay/responseHead.ts';
import { sendError } from '../relay/sendJson.ts';
import { type ChunkHead, ChunkWriter, errorChunk } from './chunkWriter.ts';
import { ResponseReader } from './responseReader.ts';
import { TextDeltaScanner } from './textDeltaScanner.ts';

/**
 * Chat clients parse every `data:` line as a chunk, so a keepalive can only be a comment.
 * (docs/clients.md#keepalives-an-event-for-responses-a-comment-for-chat)
 */
const KEEPALIVE = ': keepalive\n\n';

/** The provider may send events for a long time that contain nothing for a chat client, which gets keepalives meanwhile. */
const KEEPALIVE_AFTER_MS = 10_000;

/** One for all streams: it is read before anything else happens, and a stream need not keep what it has scanned. */
const textDelta = new TextDeltaScanner();

export interface ChatStreamOptions extends ResponseHead {
  readonly head: ChunkHead;
  readonly includesUsage: boolean;
  readonly now: () => number;
  readonly onDrain: () => void;
}

/**
 * Sends a response as chunks, each as soon as its event arrives. The response head is sent with the first chunk, not with
 * the provider's first event: until then the request can still be retried with another account.
 */
export class ChatStreamDelivery implements Delivery {
  readonly #response: ClientResponse;
  readonly #options: ChatStreamOptions;
  readonly #writer: ChunkWriter;
  #reader = new ResponseReader();
  /** As long as no chunk was sent, a failure is a JSON error with its own status. */
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
      if (now - this.#lastWriteAt >= KEEPALIVE_AFTER_MS) this.keepAlive();
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
    const source = bytes.toString();
    let text = '';
    for (let start = 0; start < source.length; ) {
      const textEnd = textDelta.read(source, start);
      if (textEnd < 0) {
        const end = endOfEventText(source, start);
        for (const delta of this.#reader.read(readEvent(source.slice(start, end), start, end))) {
          text += this.#writer.delta(delta);
        }
        start = end;
      } else {
        const { outputIndex, contentIndex, text: json } = textDelta;
        if (this.#reader.readText(outputIndex, contentIndex)) text += this.#writer.text(json);
        start = textEnd;
      }
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
