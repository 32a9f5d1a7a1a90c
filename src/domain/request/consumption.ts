import type { Consumption } from '../apiKey/counters.ts';
import type { CompletedRequest } from './events.ts';

/** What a completed request counts as: nothing where nothing is known. */
export const consumptionOf = ({ usage, costMicroDollars }: CompletedRequest): Consumption => ({
  inputTokens: usage?.inputTokens ?? 0,
  outputTokens: usage?.outputTokens ?? 0,
  costMicroDollars: costMicroDollars ?? 0,
});
