import type { Consumption } from '../../domain/limits/counters.ts';
import { costOf } from '../../domain/pricing/cost.ts';
import { findPrice, type ModelPrice, type PriceTable } from '../../domain/pricing/prices.ts';
import type { TokenUsage } from '../../domain/request/events.ts';
import type { RequestToAdmit } from './admission.ts';

/** English and code have about four bytes to a token. */
const BYTES_PER_TOKEN = 4;
/** Reserved for an answer whose length the client did not bound. */
const DEFAULT_OUTPUT_TOKENS = 2_048;
/** A text delta carries one token in about two hundred bytes of event. */
const STREAM_BYTES_PER_TOKEN = 200;
/** A second of audio is some 17 tokens, and 16 kB where it is compressed as usual. */
const AUDIO_BYTES_PER_TOKEN = 1_000;

/** What a request will probably use: its size in tokens and the longest answer it allows. */
export function estimateOf(
  {
    inputTokens,
    maxOutputTokens,
    serviceTier,
  }: Pick<RequestToAdmit, 'inputTokens' | 'maxOutputTokens' | 'serviceTier'>,
  price: ModelPrice | undefined,
): Consumption {
  const outputTokens = maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS;
  const usage = { inputTokens, outputTokens, cachedInputTokens: 0, reasoningTokens: 0 };
  return { inputTokens, outputTokens, costMicroDollars: price ? costOf(usage, price, serviceTier) : 0 };
}

/** Usage that the provider never reported, from what was seen of the request (design.md section 5). */
export function usageFromWhatWasSeen(inputTokens: number, outputTokens: number): TokenUsage {
  return {
    inputTokens,
    cachedInputTokens: 0,
    outputTokens,
    reasoningTokens: 0,
    isEstimated: true,
  };
}

/** Tokens that so many bytes of a request, of an event stream or of audio stand for, rounded up. */
export const tokensOfText = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN);
export const tokensOfStream = (bytes: number): number => Math.ceil(bytes / STREAM_BYTES_PER_TOKEN);
export const tokensOfAudio = (bytes: number): number => Math.ceil(bytes / AUDIO_BYTES_PER_TOKEN);

/** Remembers the price of each model, since finding it means walking the table. */
export function createPriceLookup(table: PriceTable): (model: string) => ModelPrice | undefined {
  const known = new Map<string, ModelPrice | undefined>();
  return (model) => {
    if (known.has(model)) return known.get(model);
    const price = findPrice(table, model);
    // Names come from clients: a client that invents them must not fill the memory.
    if (known.size < 1_000) known.set(model, price);
    return price;
  };
}
