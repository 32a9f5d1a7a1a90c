import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject } from '../requestBody/parseJson.ts';

/** In order of preference (docs/clients.md#session-headers). */
const SESSION_HEADERS = ['session-id', 'session_id', 'thread-id', 'thread_id', 'x-session-id', 'x-session-affinity'];

export function sessionHeader(headers: IncomingHttpHeaders): string | undefined {
  for (const name of SESSION_HEADERS) {
    const value = headers[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

/** The client's own name of its conversation, from the body or the headers. */
export const conversationKeyOf = (body: JsonObject, headers: IncomingHttpHeaders): string | undefined =>
  conversationKeyFrom(body, sessionHeader(headers));

export function conversationKeyFrom(
  { prompt_cache_key: cacheKey, conversation }: JsonObject,
  session: string | undefined,
): string | undefined {
  if (typeof cacheKey === 'string' && cacheKey.trim() !== '') return cacheKey;
  return session ?? (typeof conversation === 'string' && conversation !== '' ? conversation : undefined);
}
