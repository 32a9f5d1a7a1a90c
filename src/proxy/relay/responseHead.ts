import type { ClientResponse } from '../../http/client/client.ts';
import { writeHead } from '../../http/client/writeHead.ts';
import { HeaderBlock } from '../../http/wire/headerBlock.ts';
import type { LimitHeaders } from '../poolUsage/limitHeaders.ts';

/** What stands in the head of the answer to one request, whichever way it ends. */
export interface ResponseHead {
  readonly requestId: string;
  readonly limits: Pick<LimitHeaders, 'current'>;
}

const STREAM = new HeaderBlock([
  'content-type',
  'text/event-stream; charset=utf-8',
  'cache-control',
  'no-cache',
  'x-accel-buffering',
  'no',
]);
const JSON_BODY = new HeaderBlock(['content-type', 'application/json; charset=utf-8', 'cache-control', 'no-store']);

/** Begins a stream. @param length in bytes, when all of it is known @param more names and values in turn */
export function beginStream(
  response: ClientResponse,
  { requestId, limits }: ResponseHead,
  length?: number,
  more: readonly string[] = [],
): void {
  const own = ['x-request-id', requestId, ...more];
  if (length !== undefined) own.push('content-length', String(length));
  writeHead(response, 200, [STREAM, limits.current], own);
}

/** Begins a JSON body. @param length in bytes @param more names and values in turn */
export function beginJson(
  response: ClientResponse,
  status: number,
  { requestId, limits }: ResponseHead,
  length: number,
  more: readonly string[],
): void {
  const own = ['content-length', String(length), 'x-request-id', requestId, ...more];
  writeHead(response, status, [JSON_BODY, limits.current], own);
}
