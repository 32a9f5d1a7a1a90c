import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject } from '../requestBody/parseJson.ts';

/** In order of preference (docs/clients.md#session-headers). */
const SESSION_HEADERS = ['session-id', 'session_id', 'thread-id', 'thread_id', 'x-session-id', 'x-session-affinity'];

/** Returns the first session header of a request that is not empty. */
export function readSessionHeader(headers: IncomingHttpHeaders): string | undefined {
  for (const name of SESSION_HEADERS) {
    const value = headers[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

/** Returns the client's own name for the conversation, from the body or the headers; undefined when there is none. */
export const conversationKeyOf = (body: JsonObject, headers: IncomingHttpHeaders): string | undefined =>
  conversationKeyFrom(body, readSessionHeader(headers));

/** Like `conversationKeyOf`, with the value of the session header. */
export function conversationKeyFrom(
  { prompt_cache_key: cacheKey, conversation }: JsonObject,
  session: string | undefined,
): string | undefined {
  if (typeof cacheKey === 'string' && cacheKey.trim() !== '') return cacheKey;
  return session ?? (typeof conversation === 'string' && conversation !== '' ? conversation : undefined);
}
