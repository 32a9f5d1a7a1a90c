import type { ClientResponse } from '../../http/client/clientRequest.ts';
import { writeHead } from '../../http/client/writeHead.ts';
import { HeaderBlock } from '../../http/wire/headers.ts';
import type { LimitHeaders } from '../poolUsage/limitHeaders.ts';

/** What the head of every response contains, errors included. */
export interface ResponseHead {
  readonly requestId: string;
  /** Headers with the remaining limits of the pool. */
  readonly limits: Pick<LimitHeaders, 'current'>;
  /** Called when the head of the response is written. */
  readonly onHead?: ((status: number) => void) | undefined;
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

/** Writes the head of an event stream. @param length of the body in bytes, if known @param more alternating names and values */
export function beginStream(
  response: ClientResponse,
  { requestId, limits, onHead }: ResponseHead,
  length?: number,
  more: readonly string[] = [],
): void {
  const own = ['x-request-id', requestId, ...more];
  if (length !== undefined) own.push('content-length', String(length));
  writeHead(response, 200, [STREAM, limits.current], own);
  onHead?.(200);
}

/** Writes the head of a JSON response. @param length of the body in bytes @param more alternating names and values */
export function beginJson(
  response: ClientResponse,
  status: number,
  { requestId, limits, onHead }: ResponseHead,
  length: number,
  more: readonly string[],
): void {
  const own = ['content-length', String(length), 'x-request-id', requestId, ...more];
  writeHead(response, status, [JSON_BODY, limits.current], own);
  onHead?.(status);
}
