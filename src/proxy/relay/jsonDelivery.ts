import type { ClientResponse } from '../../http/client/client.ts';
import type { ProxyError } from '../errors/proxyError.ts';
import { eventsOf } from '../providerResponse/sse.ts';
import { EventTooLarge } from '../providerResponse/sseScanner.ts';
import type { Delivery } from './delivery.ts';
import type { ResponseHead } from './responseHead.ts';
import { sendError, sendJson } from './sendJson.ts';

/** Puts an answer together while its events come. */
export interface Collector {
  add(events: Buffer): void;
  /** What it holds on to, in characters. */
  readonly size: number;
  readonly body: unknown;
}

/** As much as an answer may have that comes in one piece. */
const MAX_COLLECTED = 16 * 1_048_576;

/**
 * Answers with one object at the end of a stream, as SDKs want it without `stream`. Something of the stream is kept only
 * where its ending does not hold the whole answer.
 */
export class JsonDelivery implements Delivery {
  readonly #response: ClientResponse;
  readonly #head: ResponseHead;
  readonly #newCollector: (() => Collector) | undefined;
  #collector: Collector | undefined;
  readonly wantsEvents = false;
  hasBegun = false;
  streamedBytes = 0;

  /** @param newCollector of the answer; unless given it is the response that the stream ends with */
  constructor(response: ClientResponse, head: ResponseHead, newCollector?: () => Collector) {
    this.#response = response;
    this.#head = head;
    this.#newCollector = newCollector;
    this.#collector = newCollector?.();
  }

  /** @throws EventTooLarge */
  pass(bytes: Buffer): boolean {
    this.#collector?.add(bytes);
    this.streamedBytes += bytes.length;
    if (this.#collector && this.#collector.size > MAX_COLLECTED) throw new EventTooLarge();
    return true;
  }

  finish(bytes: Buffer): void {
    this.#collector?.add(bytes);
    this.streamedBytes += bytes.length;
    this.hasBegun = true;
    sendJson(this.#response, 200, this.#collector ? this.#collector.body : finalResponse(bytes), this.#head);
  }

  reset(): void {
    this.#collector = this.#newCollector?.();
    this.streamedBytes = 0;
  }

  fail(error: ProxyError): void {
    this.hasBegun = true;
    sendError(this.#response, error, this.#head);
  }

  keepAlive(): void {
    // Nothing may be written before the one JSON object.
  }

  destroy(): void {
    this.#response.destroy();
  }
}

/** The response of the event that ends the answer. @param last events, that one among them */
function finalResponse(last: Buffer): unknown {
  for (const { type, data } of eventsOf(last)) {
    if (type === 'response.completed' || type === 'response.incomplete') return JSON.parse(data).response;
  }
  return {};
}
