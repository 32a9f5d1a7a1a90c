import type { Consumption } from '../../domain/limits/limitTypes.ts';
import { costOf } from '../../domain/pricing/cost.ts';
import { findPrice, type ModelPrice, type PriceTable } from '../../domain/pricing/prices.ts';
import type { TokenUsage } from '../../domain/request/events.ts';

/** English and code have about four bytes per token. */
const BYTES_PER_TOKEN = 4;
/** Reserved for the output when the client sets no maximum. */
const DEFAULT_OUTPUT_TOKENS = 2_048;
/** A text delta carries one token in about 200 bytes of event. */
const STREAM_BYTES_PER_TOKEN = 200;
/** A second of audio is about 17 tokens, and 16 kB in the usual compression. */
const AUDIO_BYTES_PER_TOKEN = 1_000;
/** Clients choose model names: invented ones must not fill the memory. */
const MAX_CACHED_PRICES = 1_000;

/** What the estimate of a request depends on. */
export interface RequestSize {
  readonly inputTokens: number;
  readonly maxOutputTokens: number | null;
  readonly serviceTier: string | null;
}

/** @returns the usage to reserve for a request: its size in tokens and the longest output that it allows */
export function estimateOf(
  { inputTokens, maxOutputTokens, serviceTier }: RequestSize,
  price: ModelPrice | undefined,
): Consumption {
  const outputTokens = maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS;
  const usage = { inputTokens, outputTokens, cachedInputTokens: 0, reasoningTokens: 0 };
  return { inputTokens, outputTokens, costMicroDollars: price ? costOf(usage, price, serviceTier) : 0 };
}

/** Usage that the provider never reported, estimated from the bytes seen (docs/decisions/0026-usage-estimates.md). */
export function estimatedUsage(inputTokens: number, outputTokens: number): TokenUsage {
  return {
    inputTokens,
    cachedInputTokens: 0,
    outputTokens,
    reasoningTokens: 0,
    isEstimated: true,
  };
}

/** Estimates the tokens in this many bytes of text or JSON, rounded up. */
export const tokensOfText = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN);
/** Estimates the tokens in this many bytes of an event stream, rounded up. */
export const tokensOfStream = (bytes: number): number => Math.ceil(bytes / STREAM_BYTES_PER_TOKEN);
/** Estimates the tokens in this many bytes of compressed audio, rounded up. */
export const tokensOfAudio = (bytes: number): number => Math.ceil(bytes / AUDIO_BYTES_PER_TOKEN);

/** @returns a function that finds the price of a model. Caches prices, because a search walks the whole table. */
export function createPriceLookup(table: PriceTable): (model: string) => ModelPrice | undefined {
  const known = new Map<string, ModelPrice | undefined>();
  return (model) => {
    if (known.has(model)) return known.get(model);
    const price = findPrice(table, model);
    if (known.size < MAX_CACHED_PRICES) known.set(model, price);
    return price;
  };
}
