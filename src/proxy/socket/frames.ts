import type { ProxyError } from '../errors/proxyError.ts';
import type { SseEvent } from '../providerResponse/sse.ts';
import { isObject } from '../requestBody/parseJson.ts';

/** The type stands at the start of a frame, as in the payload of an event. */
const LEADING_TYPE = /^\s*\{\s*"type"\s*:\s*"([^"\\]+)"/;
const START_BYTES = 160;

/** @returns the `type` of a message, which is one JSON object; undefined if it has none */
export function typeOfFrame(bytes: Buffer): string | undefined {
  const leading = LEADING_TYPE.exec(bytes.toString('latin1', 0, START_BYTES));
  if (leading) return leading[1];
  const { type } = parseFrame(bytes.toString()) ?? {};
  return typeof type === 'string' ? type : undefined;
}

/** @returns undefined for a text that is no JSON object */
export function parseFrame(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const TERMINAL_TYPES: ReadonlySet<string | undefined> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'error',
]);

/** Whether a message of this type ends a response. */
export const isTerminal = (type: string | undefined): boolean => TERMINAL_TYPES.has(type);

/** @returns the id of the response that a message is about */
export function responseIdIn(bytes: Buffer): string | undefined {
  const response = parseFrame(bytes.toString())?.response;
  return isObject(response) && typeof response.id === 'string' ? response.id : undefined;
}

/** A message as the event that it would be over HTTP. */
export const eventOfFrame = (type: string | undefined, bytes: Buffer): SseEvent => ({
  type,
  data: bytes.toString(),
  start: 0,
  end: bytes.length,
});

/** Resets the idle timer of Codex, which pings do not (docs/clients.md#codex-on-a-websocket). */
export const KEEPALIVE = '{"type":"keepalive"}';

/** Clients retry six times at most; with this pause the last time is half a minute away (docs/clients.md#codex-on-a-websocket). */
const RETRY_AFTER_SECONDS = '5';

/** The frame that ends a response with an error. Codex ignores one without `status`. */
export function errorFrame({ status, body, headers }: ProxyError): string {
  const retryAfter = headers['retry-after'] ?? (status === 503 ? RETRY_AFTER_SECONDS : undefined);
  return JSON.stringify({
    type: 'error',
    status,
    ...body,
    ...(retryAfter !== undefined && { headers: { 'retry-after': retryAfter } }),
  });
}
