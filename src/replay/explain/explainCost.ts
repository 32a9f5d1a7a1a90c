import { costTerms } from '../../domain/pricing/costTerms.ts';
import { findPrice } from '../../domain/pricing/prices.ts';
import type { CompletedRequest } from '../../domain/request/events.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import type { ExplainedCost } from './explanation.ts';

const MICRO = 1_000_000;

/** Explains what a request cost, by the prices at its end. @returns null when its cost is not known */
export function explainCost(
  { usage, costMicroDollars, priceVersion, model, serviceTier = null as never }: CompletedRequest,
  { prices }: Pick<HotState, 'prices'>,
): ExplainedCost | null {
  if (!usage || costMicroDollars === null) return null;
  const price = prices?.version === priceVersion ? prices && findPrice(prices, model) : undefined;
  const terms = price ? costTerms(usage, price, serviceTier) : [];
  return {
    total_usd: costMicroDollars / MICRO,
    price_version: priceVersion,
    service_tier: serviceTier,
    is_estimated: usage.isEstimated,
    terms: terms.map(({ tokens, count, price: perMillion, factor, microDollars }) => ({
      tokens,
      count,
      usd_per_million: perMillion,
      factor,
      usd: microDollars / MICRO,
    })),
  };
}
