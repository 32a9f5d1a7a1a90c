import type { IncomingHttpHeaders } from 'node:http';
import { serviceTierOf } from '../providerResponse/serviceTier.ts';
import { withExactNumbers } from '../requestBody/exactNumbers.ts';
import { refuseTooManyValues } from '../requestBody/hasTooManyValues.ts';
import { isObject, type JsonObject, parseJsonObject } from '../requestBody/parseJson.ts';
import { type RecallItem, toForwardable } from './forwardable.ts';
import { openingOf, readOpening } from './opening.ts';
import { readEnvelope } from './readEnvelope.ts';
import type { RequestMemory } from './requestMemory.ts';
import { checkResponsesRequest, type Surface } from './schema.ts';
import { upstreamBody } from './upstreamBody.ts';

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
  /** The tier of service that is asked for; null for the usual one. */
  readonly serviceTier: string | null;
  /** In pieces that follow each other; joining them would copy what the socket copies anyway. */
  readonly upstreamBody: readonly Buffer[];
  /** Whether a stream of chunks ends with one of its usage; only of a chat. */
  readonly includesUsage?: boolean;
}

/**
 * Reads a request in one of two ways with the same outcome. Most bodies are followed byte by byte, and only what no earlier
 * request contained is parsed (readEnvelope.ts). The others are parsed whole: they are refused with the right words, or go to
 * the provider as we understood them, so that it cannot read them differently (a name that comes twice, for instance).
 * @throws ProxyError `invalid_request_error`
 */
export function readResponsesRequest(
  raw: Buffer,
  surface: Surface,
  headers: IncomingHttpHeaders,
  recall: RecallItem,
  memory: RequestMemory,
): ModelRequest {
  refuseTooManyValues(raw);
  const session = sessionOf(headers);
  const hint = session !== undefined && session.length <= MAX_HINT ? session : keyNearEnd(raw);
  const envelope = readEnvelope(raw, memory, hint);
  if (!envelope || (surface === 'svc' && !envelope.isInstructed)) return readWhole(raw, surface, session, recall);
  const { values, inputStart, opening } = envelope;
  return modelRequest(raw, surface, values, {
    conversationKey: keyOf(values, session) ?? (opening && readOpening(raw, inputStart, opening)),
    upstreamBody: upstreamBody(envelope, recall),
  });
}

function readWhole(raw: Buffer, surface: Surface, session: string | undefined, recall: RecallItem): ModelRequest {
  const body = parseJsonObject(raw);
  checkResponsesRequest(body, surface);
  return modelRequest(raw, surface, body, {
    conversationKey: keyOf(body, session) ?? openingOf(body.input),
    upstreamBody: [Buffer.from(JSON.stringify(toForwardable(withExactNumbers(raw.toString(), body), recall)))],
  });
}

/** @param surface decides whether the answer is a stream when nothing is said */
export function modelRequest(
  raw: Buffer,
  surface: Surface,
  { model, reasoning, stream, max_output_tokens: maxOutputTokens, service_tier: tier }: JsonObject,
  { conversationKey, upstreamBody }: Pick<ModelRequest, 'conversationKey' | 'upstreamBody'>,
): ModelRequest {
  return {
    model: model as string,
    effort: isObject(reasoning) && typeof reasoning.effort === 'string' ? reasoning.effort : null,
    wantsStream: surface === 'svc' || stream === true,
    conversationKey,
    bodyBytes: raw.length,
    maxOutputTokens: typeof maxOutputTokens === 'number' ? outputTokens(maxOutputTokens) : null,
    serviceTier: serviceTierOf(tier),
    upstreamBody,
  };
}

/** No model writes so much; beyond it an estimate would be no number that the log can hold. */
const MAX_OUTPUT_TOKENS = 10_000_000;

const outputTokens = (wanted: number) => Math.min(MAX_OUTPUT_TOKENS, Math.max(0, Math.ceil(wanted)));

/** Session headers of today's clients (clients.md 1.2 and section 4). */
const SESSION_HEADERS = ['session-id', 'session_id', 'thread-id', 'thread_id', 'x-session-id', 'x-session-affinity'];

function sessionOf(headers: IncomingHttpHeaders): string | undefined {
  for (const name of SESSION_HEADERS) {
    const value = headers[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

/** What a client calls its conversation, in its body or its headers. */
export const conversationKeyOf = (body: JsonObject, headers: IncomingHttpHeaders): string | undefined =>
  keyOf(body, sessionOf(headers));

function keyOf({ prompt_cache_key: cacheKey, conversation }: JsonObject, session: string | undefined) {
  if (typeof cacheKey === 'string' && cacheKey.trim() !== '') return cacheKey;
  return session ?? (typeof conversation === 'string' && conversation !== '' ? conversation : undefined);
}

/** A client chooses its session header; what is longer is not kept in memory. */
const MAX_HINT = 128;

const CACHE_KEY = Buffer.from('"prompt_cache_key"');

/** Clients without a session header may still name the conversation, mostly behind `input`. Good enough for a hint. */
function keyNearEnd(raw: Buffer): string {
  const end = raw.subarray(Math.max(0, raw.length - 2_048));
  const at = end.lastIndexOf(CACHE_KEY);
  return at < 0 ? '' : end.toString('latin1', at + CACHE_KEY.length, at + CACHE_KEY.length + 64);
}
