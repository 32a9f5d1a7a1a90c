import type { ClientResponse } from '../../http/client/clientRequest.ts';
import type { ProxyError } from '../errors/proxyError.ts';
import type { Delivery } from './delivery.ts';
import type { ResponseHead } from './responseHead.ts';
import { sendBytes, sendError } from './sendJson.ts';

/** Delivers a response that the provider sends as one JSON object. */
export class PassThroughDelivery implements Delivery {
  readonly #response: ClientResponse;
  readonly #head: ResponseHead;
  readonly #complete: (body: Buffer) => Buffer;
  readonly wantsEvents = false;
  hasBegun = false;
  streamedBytes = 0;

  /** @param complete adds the fields that clients need and the provider omits */
  constructor(response: ClientResponse, head: ResponseHead, complete: (body: Buffer) => Buffer = (body) => body) {
    this.#response = response;
    this.#head = head;
    this.#complete = complete;
  }

  pass(): boolean {
    // The response is passed to `finish` in one piece.
    return true;
  }

  reset(): void {
    // Nothing is collected.
  }

  finish(bytes: Buffer): void {
    this.hasBegun = true;
    this.streamedBytes += bytes.length;
    sendBytes(this.#response, 200, this.#complete(bytes), this.#head);
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
