import type { ClientResponse } from '../../http/client/client.ts';
import type { ProxyError } from '../errors/proxyError.ts';
import type { Delivery } from './delivery.ts';
import type { ResponseHead } from './responseHead.ts';
import { sendBytes, sendError } from './sendJson.ts';

/** Passes on an answer that comes in one piece. */
export class PassThroughDelivery implements Delivery {
  readonly #response: ClientResponse;
  readonly #head: ResponseHead;
  readonly #completed: (answer: Buffer) => Buffer;
  readonly wantsEvents = false;
  hasBegun = false;
  streamedBytes = 0;

  /** @param completed adds what clients need and the provider left out */
  constructor(
    response: ClientResponse,
    head: ResponseHead,
    completed: (answer: Buffer) => Buffer = (answer) => answer,
  ) {
    this.#response = response;
    this.#head = head;
    this.#completed = completed;
  }

  pass(): boolean {
    // There is nothing to pass on before the end.
    return true;
  }

  reset(): void {
    // Nothing is kept: the answer comes with its end.
  }

  finish(bytes: Buffer): void {
    this.hasBegun = true;
    this.streamedBytes += bytes.length;
    sendBytes(this.#response, 200, this.#completed(bytes), this.#head);
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
