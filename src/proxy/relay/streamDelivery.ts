import type { ClientResponse } from '../../http/client/clientRequest.ts';
import type { HeaderLookup } from '../../http/wire/headers.ts';
import type { ProxyError } from '../errors/proxyError.ts';
import { formatEvent } from '../providerResponse/sse.ts';
import type { Delivery } from './delivery.ts';
import { beginStream, type ResponseHead } from './responseHead.ts';
import { sendError } from './sendJson.ts';

/** Headers of the provider that are relayed. `x-models-etag` is not, because clients get the list of models from us. */
const RELAYED_HEADERS = ['x-codex-turn-state', 'x-reasoning-included'];

/**
 * An event, because comments do not reset the idle timer of Codex
 * (docs/clients.md#keepalives-an-event-for-responses-a-comment-for-chat).
 */
const KEEPALIVE = Buffer.from('data: {"type":"keepalive"}\n\n');

/** Relays an event stream byte for byte. Writes complete events only, so that svc can always add an event. */
export class StreamDelivery implements Delivery {
  readonly #response: ClientResponse;
  readonly #head: ResponseHead;
  readonly #now: () => number;
  readonly wantsEvents = true;
  hasBegun = false;
  streamedBytes = 0;

  constructor(
    response: ClientResponse,
    options: ResponseHead & { readonly now: () => number; readonly onDrain: () => void },
  ) {
    this.#response = response;
    this.#head = options;
    this.#now = options.now;
    response.on('drain', options.onDrain);
  }

  pass(bytes: Buffer, upstreamHeaders: HeaderLookup): boolean {
    if (!this.hasBegun) this.#begin(upstreamHeaders, undefined);
    this.streamedBytes += bytes.length;
    return this.#response.write(bytes);
  }

  reset(): void {
    // Nothing is collected: what was passed has been sent.
  }

  finish(bytes: Buffer, upstreamHeaders: HeaderLookup): void {
    // A response that arrived in one piece is sent in one write: head, events and end.
    if (!this.hasBegun) this.#begin(upstreamHeaders, bytes.length);
    this.streamedBytes += bytes.length;
    this.#response.end(bytes);
  }

  fail(error: ProxyError): void {
    if (!this.hasBegun) {
      sendError(this.#response, error, this.#head);
      return;
    }
    this.#response.end(failedEvent(this.#head.requestId, error, this.#now()));
  }

  keepAlive(): void {
    if (this.hasBegun && !this.#response.writableNeedDrain) this.#response.write(KEEPALIVE);
  }

  destroy(): void {
    this.#response.destroy();
  }

  #begin(upstreamHeaders: HeaderLookup, length: number | undefined): void {
    this.hasBegun = true;
    const relayed: string[] = [];
    for (const name of RELAYED_HEADERS) {
      const value = upstreamHeaders.get(name);
      if (value !== undefined) relayed.push(name, value);
    }
    beginStream(this.#response, this.#head, length, relayed);
  }
}

/** The only error event that every client understands (docs/clients.md#codex-ignores-error-events). */
function failedEvent(requestId: string, error: ProxyError, now: number): Buffer {
  const { message, type, code } = error.body.error;
  return formatEvent('response.failed', {
    type: 'response.failed',
    response: {
      id: requestId,
      object: 'response',
      created_at: Math.floor(now / 1_000),
      status: 'failed',
      error: { message, type, code },
      incomplete_details: null,
      output: [],
    },
  });
}
