import { parseServiceTier } from '../providerResponse/serviceTier.ts';
import { isObject, type JsonObject } from '../requestBody/parseJson.ts';
import { type ConversationKey, conversationIdsIn } from './conversationKey.ts';
import type { Surface } from './schema.ts';

/** A checked model request: the facts that admission, routing and the log need, and the body for the provider. */
export interface ModelRequest {
  readonly model: string;
  readonly effort: string | null;
  readonly wantsStream: boolean;
  /** Identifies the conversation; undefined when the request contains nothing that does. */
  readonly conversationKey: ConversationKey | undefined;
  /** The ids of conversations that the body names, for the log. */
  readonly conversationIds: readonly string[];
  /** Size of the decompressed body. */
  readonly bodyBytes: number;
  readonly maxOutputTokens: number | null;
  /** The requested service tier; null for the default one. */
  readonly serviceTier: string | null;
  /** In consecutive pieces. Joining them would only add a copy: the socket copies them anyway. */
  readonly upstreamBody: readonly Buffer[];
  /** Whether a stream ends with a chunk that contains the usage; chat completions only. */
  readonly includesUsage?: boolean;
}

/** Collects the facts about a checked body. @param surface decides whether to stream when `stream` is absent */
export function toModelRequest(
  raw: Buffer,
  surface: Surface,
  body: JsonObject,
  { conversationKey, upstreamBody }: Pick<ModelRequest, 'conversationKey' | 'upstreamBody'>,
): ModelRequest {
  return { ...factsOf(surface, body), conversationKey, bodyBytes: raw.length, upstreamBody };
}

/** The facts that depend on neither the size of a body nor its conversation. @param surface as for `toModelRequest` */
export function factsOf(
  surface: Surface,
  body: JsonObject,
): Omit<ModelRequest, 'conversationKey' | 'bodyBytes' | 'upstreamBody'> {
  const { model, reasoning, stream, max_output_tokens: maxOutputTokens, service_tier: tier } = body;
  return {
    model: model as string,
    effort: isObject(reasoning) && typeof reasoning.effort === 'string' ? reasoning.effort : null,
    wantsStream: surface === 'svc' || stream === true,
    conversationIds: conversationIdsIn(body),
    maxOutputTokens: typeof maxOutputTokens === 'number' ? boundedOutputTokens(maxOutputTokens) : null,
    serviceTier: parseServiceTier(tier),
  };
}

/** No model writes as much. With a larger number the estimate could exceed the integers that the log can represent. */
const MAX_OUTPUT_TOKENS = 10_000_000;

const boundedOutputTokens = (requested: number) => Math.min(MAX_OUTPUT_TOKENS, Math.max(0, Math.ceil(requested)));
