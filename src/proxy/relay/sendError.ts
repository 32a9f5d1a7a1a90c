import type { ServerResponse } from 'node:http';
import type { ProxyError } from '../proxyError.ts';

/** Writes an error in the proxy's envelope; does nothing when an answer has begun already. */
export function sendError(response: ServerResponse, error: ProxyError, requestId: string): void {
  sendJson(response, error.status, error.body, { ...error.headers, 'x-request-id': requestId });
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  sendBytes(response, status, Buffer.from(JSON.stringify(body)), headers);
}

/** @param json as it is to be sent */
export function sendBytes(
  response: ServerResponse,
  status: number,
  json: Buffer,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': json.length,
    'cache-control': 'no-store',
    ...headers,
  });
  response.end(json);
}
