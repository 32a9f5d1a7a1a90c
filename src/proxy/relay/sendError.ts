import type { CallerResponse } from '../../http/client/client.ts';
import type { ProxyError } from '../errors/proxyError.ts';
import { type AnswerHead, beginJson } from './responseHead.ts';

type Headers = Readonly<Record<string, string>>;

/** Writes an error in the proxy's envelope; does nothing when an answer has begun already. */
export function sendError(response: CallerResponse, error: ProxyError, head: AnswerHead): void {
  sendJson(response, error.status, error.body, head, error.headers);
}

/** Writes a JSON answer whole; does nothing when an answer has begun already. */
export function sendJson(
  response: CallerResponse,
  status: number,
  body: unknown,
  head: AnswerHead,
  headers?: Headers,
): void {
  sendBytes(response, status, Buffer.from(JSON.stringify(body)), head, headers);
}

/** @param json as it is to be sent @param headers beside those that every answer has */
export function sendBytes(
  response: CallerResponse,
  status: number,
  json: Buffer,
  head: AnswerHead,
  headers: Headers = {},
): void {
  if (response.headersSent || response.destroyed) return;
  beginJson(response, status, head, json.length, Object.entries(headers).flat());
  response.end(json);
}
