import type { TokenUsage } from '../request/events.ts';
import { tierFactorOf } from './cost.ts';
import type { ModelPrice } from './prices.ts';

/** One term of the cost of a request: tokens times price times factor. */
export interface CostTerm {
  readonly tokens: 'input' | 'cached_input' | 'output' | 'reasoning_extra';
  readonly count: number;
  /** US dollars per 1,000,000 tokens, which are micro-dollars per token. */
  readonly price: number;
  /** Of a long input, the multiplier of reasoning tokens less the 1 that the output has, and the service tier. */
  readonly factor: number;
  readonly microDollars: number;
}

const SHORT = { inputFactor: 1, outputFactor: 1 };

/** The terms that `costOf` adds up and rounds; those without tokens are left out. */
export function costTerms(
  { inputTokens, cachedInputTokens, outputTokens, reasoningTokens }: Omit<TokenUsage, 'isEstimated'>,
  price: ModelPrice,
  tier: string | null,
): CostTerm[] {
  const { longContext, reasoningMultiplier = 1 } = price;
  const { inputFactor, outputFactor } = longContext && inputTokens > longContext.aboveInputTokens ? longContext : SHORT;
  const byTier = tierFactorOf(price, tier);
  const cached = Math.min(cachedInputTokens, inputTokens);
  const term = (tokens: CostTerm['tokens'], count: number, perToken: number, factor: number): CostTerm => ({
    tokens,
    count,
    price: perToken,
    factor: factor * byTier,
    microDollars: count * perToken * factor * byTier,
  });
  return [
    term('input', inputTokens - cached, price.input, inputFactor),
    term('cached_input', cached, price.cachedInput, inputFactor),
    term('output', Math.max(outputTokens, reasoningTokens), price.output, outputFactor),
    term('reasoning_extra', reasoningTokens, price.output, (reasoningMultiplier - 1) * outputFactor),
  ].filter(({ count, factor }) => count > 0 && factor !== 0);
}
