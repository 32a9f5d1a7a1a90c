import { type MicroDollars, microDollars } from '../core/brands.ts';
import type { TokenUsage } from '../request/events.ts';
import type { ModelPrice } from './prices.ts';

const SHORT = { inputFactor: 1, outputFactor: 1 };

/**
 * Cost of one request. Dollars per 1,000,000 tokens are micro-dollars per token, so no scaling is needed.
 * Reasoning tokens are part of the output; a multiplier other than 1 changes only their share.
 * @param tier the `service_tier` that was served; null for the default tier
 */
export function costOf(
  usage: Omit<TokenUsage, 'isEstimated'>,
  price: ModelPrice,
  tier: string | null = null,
): MicroDollars {
  const cached = Math.min(usage.cachedInputTokens, usage.inputTokens);
  const output = Math.max(usage.outputTokens, usage.reasoningTokens);
  const reasoningExtra = usage.reasoningTokens * ((price.reasoningMultiplier ?? 1) - 1);
  const { longContext } = price;
  const length = longContext && usage.inputTokens > longContext.aboveInputTokens ? longContext : SHORT;
  const input = (usage.inputTokens - cached) * price.input + cached * price.cachedInput;
  const amount = input * length.inputFactor + (output + reasoningExtra) * price.output * length.outputFactor;
  return microDollars(Math.round(amount * tierFactorOf(price, tier)));
}

/** The factor of a service tier; 1 for the default tier and those without one. */
export const tierFactorOf = ({ tiers }: ModelPrice, tier: string | null): number =>
  tiers && tier !== null && Object.hasOwn(tiers, tier) ? (tiers[tier] ?? 1) : 1;
