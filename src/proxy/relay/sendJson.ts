import type { ClientResponse } from '../../http/client/client.ts';
import type { ProxyError } from '../errors/proxyError.ts';
import { beginJson, type ResponseHead } from './responseHead.ts';

type Headers = Readonly<Record<string, string>>;

/** Writes an error in the proxy's envelope; does nothing when an answer has begun already. */
export function sendError(response: ClientResponse, error: ProxyError, head: ResponseHead): void {
  sendJson(response, error.status, error.body, head, error.headers);
}

/** Writes a JSON answer whole; does nothing when an answer has begun already. */
export function sendJson(
  response: ClientResponse,
  status: number,
  body: unknown,
  head: ResponseHead,
  headers?: Headers,
): void {
  sendBytes(response, status, Buffer.from(JSON.stringify(body)), head, headers);
}

/** @param json as it is to be sent @param headers beside those that every answer has */
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
