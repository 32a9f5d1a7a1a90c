import type { IncomingHttpHeaders } from 'node:http';
import { isObject, type JsonObject } from '../requestBody/parseJson.ts';

/** In order of preference (docs/clients.md#session-headers). */
const SESSION_HEADERS = ['session-id', 'session_id', 'thread-id', 'thread_id', 'x-session-id', 'x-session-affinity'];

/** What identifies a conversation, and where the request says it. */
export interface ConversationKey {
  readonly value: string;
  /** The name of the header or field, or `first_message`. */
  readonly source: string;
}

/** Returns the first session header of a request that is not empty. */
export function readSessionHeader(headers: IncomingHttpHeaders): ConversationKey | undefined {
  for (const source of SESSION_HEADERS) {
    const value = headers[source];
    if (typeof value === 'string' && value !== '') return { value, source };
  }
  return undefined;
}

/** Returns the client's own name for the conversation, from the body or the headers; undefined when there is none. */
export const conversationKeyOf = (body: JsonObject, headers: IncomingHttpHeaders): ConversationKey | undefined =>
  conversationKeyFrom(body, readSessionHeader(headers));

/** Like `conversationKeyOf`, with the session header. */
export function conversationKeyFrom(
  { prompt_cache_key: cacheKey, conversation }: JsonObject,
  session: ConversationKey | undefined,
): ConversationKey | undefined {
  if (typeof cacheKey === 'string' && cacheKey.trim() !== '') return { value: cacheKey, source: 'prompt_cache_key' };
  if (session) return session;
  const isNamed = typeof conversation === 'string' && conversation !== '';
  return isNamed ? { value: conversation, source: 'conversation' } : undefined;
}

/**
 * Whether a client names its conversation, but in no header that reaches the provider
 * (docs/decisions/0109-session-id-of-unnamed-sessions.md).
 */
export const lacksSessionHeader = ({ source }: ConversationKey, headers: IncomingHttpHeaders): boolean =>
  source !== 'first_message' &&
  headers['session-id'] === undefined &&
  headers.session_id === undefined &&
  headers['thread-id'] === undefined &&
  headers.thread_id === undefined &&
  headers['conversation-id'] === undefined &&
  headers.conversation_id === undefined;

/** The first message identifies a conversation without a name. */
export const firstMessageKey = (text: string | undefined): ConversationKey | undefined =>
  text === undefined ? undefined : { value: text, source: 'first_message' };

/** The ids of conversations that the body of a request names. */
export function conversationIdsIn({ prompt_cache_key: cacheKey, conversation }: JsonObject): readonly string[] {
  const id = isObject(conversation) ? conversation.id : conversation;
  const hasCacheKey = typeof cacheKey === 'string' && cacheKey.trim() !== '';
  const hasId = typeof id === 'string' && id !== '';
  if (!hasCacheKey && !hasId) return NO_IDS;
  if (!hasId) return [cacheKey as string];
  return hasCacheKey ? [cacheKey, id] : [id];
}

const NO_IDS: readonly string[] = [];

/** Calls back with the id in each session header of a request. */
export function forEachSessionHeader(headers: IncomingHttpHeaders, add: (id: string) => void): void {
  for (const source of SESSION_HEADERS) {
    const value = headers[source];
    if (typeof value === 'string' && value !== '') add(value);
  }
}
