import type { ServerResponse } from 'node:http';
import type { ProxyError } from '../proxyError.ts';
import type { Delivery } from './delivery.ts';
import { sendError, sendJson } from './sendError.ts';
import { eventsOf } from './sse.ts';

/** Collects a stream and answers with one object at its end, as SDKs want it without `stream`. */
export class JsonDelivery implements Delivery {
  readonly #response: ServerResponse;
  readonly #requestId: string;
  readonly #bodyOf: (stream: Buffer) => unknown;
  #events: Buffer[] = [];
  readonly wantsEvents = false;
  hasBegun = false;
  streamedBytes = 0;

  /** @param bodyOf makes the answer from the whole stream; unless given it is the response that the stream ends with */
  constructor(response: ServerResponse, requestId: string, bodyOf = finalResponse) {
    this.#response = response;
    this.#requestId = requestId;
    this.#bodyOf = bodyOf;
  }

  pass(bytes: Buffer): boolean {
    this.#events.push(bytes);
    this.streamedBytes += bytes.length;
    return true;
  }

  finish(bytes: Buffer): void {
    this.pass(bytes);
    this.hasBegun = true;
    sendJson(this.#response, 200, this.#bodyOf(Buffer.concat(this.#events)), {
      'x-request-id': this.#requestId,
    });
  }

  reset(): void {
    this.#events = [];
    this.streamedBytes = 0;
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

interface Payload {
  readonly type?: string;
  readonly output_index?: number;
  readonly item?: unknown;
  readonly response?: { output?: unknown } & Record<string, unknown>;
}

/** The response of the ending event; an empty `output` in it is filled from the items that were completed before. */
function finalResponse(stream: Buffer): unknown {
  const items: [number, unknown][] = [];
  let response: Payload['response'];
  for (const { type, data } of eventsOf(stream)) {
    if (type === 'response.output_item.done') {
      const { output_index: index = items.length, item } = JSON.parse(data) as Payload;
      items.push([index, item]);
    } else if (type === 'response.completed' || type === 'response.incomplete') {
      response = (JSON.parse(data) as Payload).response;
    }
  }
  if (!response) return {};
  const isEmpty = !Array.isArray(response.output) || response.output.length === 0;
  if (!isEmpty) return response;
  return { ...response, output: items.toSorted(([a], [b]) => a - b).map(([, item]) => item) };
}
