import type { ClientResponse } from '../../http/client/clientRequest.ts';
import { ProxyError } from '../errors/proxyError.ts';
import { CommonEvent } from '../providerResponse/commonEvent.ts';
import { endOfEvent, parseEvent, type SseEvent } from '../providerResponse/sse.ts';
import type { Delivery } from '../relay/delivery.ts';
import { beginStream, type ResponseHead } from '../relay/responseHead.ts';
import { sendError } from '../relay/sendJson.ts';
import { type ChunkHead, ChunkWriter, errorChunk } from './chunkWriter.ts';
import { ResponseReader, readTypeAt } from './responseReader.ts';
import { TextDeltaScanner } from './textDeltaScanner.ts';

/**
 * Chat clients parse every `data:` line as a chunk, so a keepalive can only be a comment.
 * (docs/clients.md#keepalives-an-event-for-responses-a-comment-for-chat)
 */
const KEEPALIVE = ': keepalive\n\n';

/** The provider may send events for a long time that contain nothing for a chat client, which gets keepalives meanwhile. */
const KEEPALIVE_AFTER_MS = 10_000;

/** One of each for all streams: they are read before anything else happens, and a stream need not keep what it has scanned. */
const textDelta = new TextDeltaScanner();
const commonEvent = new CommonEvent();

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
    let text = '';
    for (let start = 0; start < bytes.length; ) {
      if (textDelta.read(bytes, start) >= 0) {
        const pieces = piecesOfText(bytes);
        if (this.#reader.readText(textDelta.outputIndex, textDelta.contentIndex)) text += this.#writer.texts(pieces);
        start = textDelta.end;
        continue;
      }
      const end = commonEvent.read(bytes, start);
      if (end < 0) {
        const found = endOfEvent(bytes, start);
        const eventEnd = found < 0 ? bytes.length : found;
        text += this.#deltas(parseEvent(bytes, start, eventEnd));
        start = eventEnd;
      } else {
        const type = readTypeAt(bytes, commonEvent.typeStart, commonEvent.typeEnd);
        if (type !== undefined && !this.#reader.hasSent(type, commonEvent)) {
          text += this.#deltas({ type, data: commonEvent.data });
        }
        start = end;
      }
    }
    return text;
  }

  #deltas(event: Pick<SseEvent, 'type' | 'data'>): string {
    let text = '';
    for (const delta of this.#reader.read(event)) text += this.#writer.delta(delta);
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

/** Reads the texts of the event that `textDelta` has read, and of those like it behind it, as JSON strings. */
function piecesOfText(bytes: Buffer): string[] {
  const { textStart } = textDelta;
  const offsets = [textStart, textDelta.textEnd];
  while (textDelta.readNext() >= 0) offsets.push(textDelta.textStart, textDelta.textEnd);
  const pieces: string[] = [];
  if (textDelta.isAscii) {
    // Slices of one text cost less than decoding each.
    const source = bytes.toString('latin1', textStart, textDelta.end);
    for (let index = 0; index < offsets.length; index += 2) {
      pieces.push(source.slice((offsets[index] as number) - textStart, (offsets[index + 1] as number) - textStart));
    }
    return pieces;
  }
  for (let index = 0; index < offsets.length; index += 2)
    pieces.push(bytes.toString('utf8', offsets[index], offsets[index + 1]));
  return pieces;
}
