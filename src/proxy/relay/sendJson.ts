import type { ClientResponse } from '../../http/client/clientRequest.ts';
import type { ProxyError } from '../errors/proxyError.ts';
import { beginJson, type ResponseHead } from './responseHead.ts';

type Headers = Readonly<Record<string, string>>;

/** Sends an error in the proxy's envelope; does nothing when a response has begun. */
export function sendError(response: ClientResponse, error: ProxyError, head: ResponseHead): void {
  sendJson(response, error.status, error.body, head, error.headers);
}

/** Sends a value as JSON; does nothing when a response has begun. */
export function sendJson(
  response: ClientResponse,
  status: number,
  body: unknown,
  head: ResponseHead,
  headers?: Headers,
): void {
  sendBytes(response, status, Buffer.from(JSON.stringify(body)), head, headers);
}

/** Sends serialized JSON; does nothing when a response has begun. @param headers added to those of every response */
export function sendBytes(
  response: ClientResponse,
  status: number,
  json: Buffer,
  head: ResponseHead,
  headers: Headers = {},
): void {
  if (response.headersSent || response.destroyed) return;
  beginJson(response, status, head, json.length, Object.entries(headers).flat());
  response.end(json);
}
