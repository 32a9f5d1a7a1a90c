import type { ClientResponse } from '../../http/client/clientRequest.ts';
import type { ProxyError } from '../errors/proxyError.ts';
import { eventsOf } from '../providerResponse/sse.ts';
import { EventTooLarge } from '../providerResponse/sseScanner.ts';
import type { Delivery } from './delivery.ts';
import type { ResponseHead } from './responseHead.ts';
import { sendError, sendJson } from './sendJson.ts';

/** Builds a response from its events while they arrive. */
export interface Collector {
  add(events: Buffer): void;
  /** Characters in memory. */
  readonly size: number;
  /** The response body, to be serialised as JSON. */
  readonly body: unknown;
}

/** A longer response ends with an error. */
const MAX_COLLECTED_CHARACTERS = 16 * 1_048_576;

/**
 * Responds with one JSON object at the end of the provider's stream, as SDKs expect without `stream`. Collects events only
 * if there is a collector, because the terminal event usually contains the complete response.
 */
export class JsonDelivery implements Delivery {
  readonly #response: ClientResponse;
  readonly #head: ResponseHead;
  readonly #newCollector: (() => Collector) | undefined;
  #collector: Collector | undefined;
  readonly wantsEvents = false;
  hasBegun = false;
  streamedBytes = 0;

  /** @param newCollector builds the body; by default it is the response in the terminal event */
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
    if (this.#collector && this.#collector.size > MAX_COLLECTED_CHARACTERS) throw new EventTooLarge();
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
    // Nothing can be written before the JSON object.
  }

  destroy(): void {
    this.#response.destroy();
  }
}

/** The response in the terminal event. @param events the last ones of the stream */
function finalResponse(events: Buffer): unknown {
  for (const { type, data } of eventsOf(events)) {
    if (type === 'response.completed' || type === 'response.incomplete') return JSON.parse(data).response;
  }
  return {};
}
