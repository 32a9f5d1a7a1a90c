import type { Consumption } from '../limits/limitTypes.ts';
import type { CompletedRequest, TokenUsage } from './events.ts';

interface Ended extends Pick<CompletedRequest, 'costMicroDollars'> {
  readonly usage: Pick<TokenUsage, 'inputTokens' | 'outputTokens'> | null;
}

/** What a completed request consumed; unknown amounts count as zero. */
export const consumptionOf = ({ usage, costMicroDollars }: Ended): Consumption => ({
  inputTokens: usage?.inputTokens ?? 0,
  outputTokens: usage?.outputTokens ?? 0,
  costMicroDollars: costMicroDollars ?? 0,
});
