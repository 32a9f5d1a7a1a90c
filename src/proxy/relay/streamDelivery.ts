import type { ClientResponse } from '../../http/client/client.ts';
import type { HeaderLookup } from '../../http/wire/headerLookup.ts';
import type { ProxyError } from '../errors/proxyError.ts';
import { formatEvent } from '../providerResponse/sse.ts';
import type { Delivery } from './delivery.ts';
import { beginStream, type ResponseHead } from './responseHead.ts';
import { sendError } from './sendJson.ts';

/** What of the provider's head is the client's business. Its `x-models-etag` is not: clients have their list from us. */
const PASSED_HEADERS = ['x-codex-turn-state', 'x-reasoning-included'];

/** Comments do not reset the idle timer of Codex, this event does, and every client tolerates it (clients.md 5.3). */
const KEEPALIVE = Buffer.from('data: {"type":"keepalive"}\n\n');

/** Relays an event stream byte for byte. Only whole events are written, so that ours can always stand behind them. */
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
    // Nothing is kept back here: what was passed has been seen.
  }

  finish(bytes: Buffer, upstreamHeaders: HeaderLookup): void {
    // An answer that came whole leaves whole: head, events and end in one write to the socket.
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
    const passed: string[] = [];
    for (const name of PASSED_HEADERS) {
      const value = upstreamHeaders.get(name);
      if (value !== undefined) passed.push(name, value);
    }
    beginStream(this.#response, this.#head, length, passed);
  }
}

/** The one ending that every client understands after the first byte (clients.md section 0, row 12). */
export function failedEvent(requestId: string, error: ProxyError, now: number): Buffer {
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
