import type { ExpectedOutput } from '../../domain/limits/answerLengths.ts';
import type { Consumption } from '../../domain/limits/limitTypes.ts';
import { costOf } from '../../domain/pricing/cost.ts';
import { findPrice, type ModelPrice, type PriceTable } from '../../domain/pricing/prices.ts';
import type { TokenUsage } from '../../domain/request/events.ts';

/** English and code have about four bytes per token. */
const BYTES_PER_TOKEN = 4;
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

/** The usage to reserve for a request, and where its output comes from. */
export interface Estimate {
  readonly usage: Consumption;
  /** `request`: from the maximum that the client set. */
  readonly source: ExpectedOutput['source'] | 'request';
}

/**
 * Estimates a request: its size in tokens, and the output that is expected of it or, if that is less, the longest that it
 * allows. Without any history it is the longest that it allows (docs/decisions/0024-limits-and-reservations.md).
 */
export function estimateOf(
  { inputTokens, maxOutputTokens, serviceTier }: RequestSize,
  expected: ExpectedOutput,
  price: ModelPrice | undefined,
): Estimate {
  const isMaximum =
    maxOutputTokens !== null && (expected.source === 'default' || maxOutputTokens < expected.outputTokens);
  const outputTokens = isMaximum ? maxOutputTokens : expected.outputTokens;
  const usage = consumptionFor(inputTokens, outputTokens, price, serviceTier);
  return { usage, source: isMaximum ? 'request' : expected.source };
}

/** The consumption of these tokens, none of them cached. */
export function consumptionFor(
  inputTokens: number,
  outputTokens: number,
  price: ModelPrice | undefined,
  serviceTier: string | null,
): Consumption {
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
