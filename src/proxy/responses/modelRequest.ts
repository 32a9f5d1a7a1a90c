import { parseServiceTier } from '../providerResponse/serviceTier.ts';
import { isObject, type JsonObject } from '../requestBody/parseJson.ts';
import type { Surface } from './schema.ts';

/** A checked request for a model: what admission, routing and the log need to know of it, and the body for the provider. */
export interface ModelRequest {
  readonly model: string;
  readonly effort: string | null;
  readonly wantsStream: boolean;
  /** Identifies the conversation; undefined when nothing in the request does. */
  readonly conversationKey: string | undefined;
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

/** @param surface decides whether the response is a stream when the body does not say */
export function toModelRequest(
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
    maxOutputTokens: typeof maxOutputTokens === 'number' ? boundedOutputTokens(maxOutputTokens) : null,
    serviceTier: parseServiceTier(tier),
    upstreamBody,
  };
}

/** No model writes as much. A larger number would make an estimate that the log cannot represent. */
const MAX_OUTPUT_TOKENS = 10_000_000;

const boundedOutputTokens = (requested: number) => Math.min(MAX_OUTPUT_TOKENS, Math.max(0, Math.ceil(requested)));
