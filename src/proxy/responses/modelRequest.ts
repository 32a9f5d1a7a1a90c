import type { IncomingHttpHeaders } from 'node:http';
import { isObject, type JsonObject, parseJsonObject } from '../body/parseJson.ts';
import { isForwardable, type RecallItem, toForwardable } from './forwardable.ts';
import { checkResponsesRequest, type Surface } from './schema.ts';

/** A checked request for a model: what admission, routing and the log need of it, and what the provider will get. */
export interface ModelRequest {
  readonly model: string;
  readonly effort: string | null;
  readonly wantsStream: boolean;
  /** What tells a conversation from others, in order of preference; undefined when nothing does. */
  readonly conversationKey: string | undefined;
  /** Size of the body as decoded, in bytes. */
  readonly bodyBytes: number;
  readonly maxOutputTokens: number | null;
  readonly upstreamBody: Buffer;
}

/** @throws ProxyError `invalid_request_error` */
export function readResponsesRequest(
  raw: Buffer,
  surface: Surface,
  headers: IncomingHttpHeaders,
  recall: RecallItem,
): ModelRequest {
  const body = parseJsonObject(raw);
  checkResponsesRequest(body, surface);
  const { reasoning, max_output_tokens: maxOutputTokens } = body;
  return {
    model: body.model as string,
    effort: isObject(reasoning) && typeof reasoning.effort === 'string' ? reasoning.effort : null,
    wantsStream: surface === 'svc' || body.stream === true,
    conversationKey: conversationKeyOf(body, headers),
    bodyBytes: raw.length,
    maxOutputTokens: typeof maxOutputTokens === 'number' ? Math.max(0, Math.ceil(maxOutputTokens)) : null,
    upstreamBody: isForwardable(body) ? raw : Buffer.from(JSON.stringify(toForwardable(body, recall))),
  };
}

/** Session headers of today's clients (clients.md 1.2 and section 4). */
const SESSION_HEADERS = ['session-id', 'session_id', 'thread-id', 'thread_id', 'x-session-id', 'x-session-affinity'];

/** So much of the first input is enough to tell conversations apart. */
const FIRST_INPUT_CHARACTERS = 2_048;

function conversationKeyOf(body: JsonObject, headers: IncomingHttpHeaders): string | undefined {
  if (typeof body.prompt_cache_key === 'string' && body.prompt_cache_key.trim() !== '') return body.prompt_cache_key;
  for (const name of SESSION_HEADERS) {
    const value = headers[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  if (typeof body.conversation === 'string' && body.conversation !== '') return body.conversation;
  return firstInputOf(body.input);
}

/** The first thing that a user said; the instructions before it are the same for everybody. */
function firstInputOf(input: unknown): string | undefined {
  if (typeof input === 'string') return input.slice(0, FIRST_INPUT_CHARACTERS);
  if (!Array.isArray(input)) return undefined;
  const first = input.find((item) => isObject(item) && item.role === 'user') ?? input[0];
  return first === undefined ? undefined : JSON.stringify(first).slice(0, FIRST_INPUT_CHARACTERS);
}
