import { type MicroDollars, microDollars } from '../brands.ts';
import type { TokenUsage } from '../request/events.ts';
import type { ModelPrice } from './prices.ts';

/**
 * Cost of one request. Dollars per 1,000,000 tokens are micro-dollars per token, so no scaling is needed.
 * Reasoning tokens are part of the output; a multiplier other than 1 changes only their share.
 */
export function costOf(usage: Omit<TokenUsage, 'isEstimated'>, price: ModelPrice): MicroDollars {
  const cached = Math.min(usage.cachedInputTokens, usage.inputTokens);
  const output = Math.max(usage.outputTokens, usage.reasoningTokens);
  const reasoningExtra = usage.reasoningTokens * ((price.reasoningMultiplier ?? 1) - 1);
  const amount =
    (usage.inputTokens - cached) * price.input + cached * price.cachedInput + (output + reasoningExtra) * price.output;
  return microDollars(Math.round(amount));
}
