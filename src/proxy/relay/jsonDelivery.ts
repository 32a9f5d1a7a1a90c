import type { ServerResponse } from 'node:http';
import type { ProxyError } from '../proxyError.ts';
import type { AnswerHead } from './answerHead.ts';
import type { Delivery } from './delivery.ts';
import { sendError, sendJson } from './sendError.ts';
import { eventsOf } from './sse.ts';

/**
 * Answers with one object at the end of a stream, as SDKs want it without `stream`. The stream is collected only where its
 * ending does not hold the whole answer.
 */
export class JsonDelivery implements Delivery {
  readonly #response: ServerResponse;
  readonly #head: AnswerHead;
  readonly #bodyOf: ((stream: Buffer) => unknown) | undefined;
  #events: Buffer[] = [];
  readonly wantsEvents = false;
  hasBegun = false;
  streamedBytes = 0;

  /** @param bodyOf makes the answer from the whole stream; unless given it is the response that the stream ends with */
  constructor(response: ServerResponse, head: AnswerHead, bodyOf?: (stream: Buffer) => unknown) {
    this.#response = response;
    this.#head = head;
    this.#bodyOf = bodyOf;
  }

  pass(bytes: Buffer): boolean {
    if (this.#bodyOf) this.#events.push(bytes);
    this.streamedBytes += bytes.length;
    return true;
  }

  finish(bytes: Buffer): void {
    this.pass(bytes);
    this.hasBegun = true;
    const body = this.#bodyOf ? this.#bodyOf(Buffer.concat(this.#events)) : finalResponse(bytes);
    sendJson(this.#response, 200, body, this.#head);
  }

  reset(): void {
    this.#events = [];
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
