import type { ServerResponse } from 'node:http';
import type { ProxyError } from '../proxyError.ts';
import type { Delivery } from './delivery.ts';
import { sendBytes, sendError } from './sendError.ts';

/** Passes on an answer that comes in one piece. */
export class WholeDelivery implements Delivery {
  readonly #response: ServerResponse;
  readonly #requestId: string;
  readonly #completed: (answer: Buffer) => Buffer;
  readonly wantsEvents = false;
  hasBegun = false;
  streamedBytes = 0;

  /** @param completed adds what clients need and the provider left out */
  constructor(response: ServerResponse, requestId: string, completed: (answer: Buffer) => Buffer = (answer) => answer) {
    this.#response = response;
    this.#requestId = requestId;
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
    sendBytes(this.#response, 200, this.#completed(bytes), { 'x-request-id': this.#requestId });
  }

  fail(error: ProxyError): void {
    this.hasBegun = true;
    sendError(this.#response, error, this.#requestId);
  }

  keepAlive(): void {
    // Nothing may be written before the one JSON object.
  }

  destroy(): void {
    this.#response.destroy();
  }
}
