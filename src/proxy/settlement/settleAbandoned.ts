import type { Instant } from '../../domain/core/brands.ts';
import { costOf } from '../../domain/pricing/cost.ts';
import type { ModelPrice } from '../../domain/pricing/prices.ts';
import { RequestCompleted, type TokenUsage } from '../../domain/request/events.ts';
import { newEventId } from '../../eventLog/eventId.ts';
import type { EventToAppend } from '../../eventLog/eventLog.ts';
import { announcementsOf, type OpenRequest } from '../../state/fold/requestFolds.ts';

export interface SettleAbandonedOptions {
  readonly open: Iterable<OpenRequest>;
  /** Whether a stream belongs to an earlier start of this node, so that nothing writes to it any more. */
  readonly isAbandoned: (stream: string) => boolean;
  readonly record: (event: EventToAppend) => Promise<unknown>;
  readonly priceOf: (model: string) => ModelPrice | undefined;
  readonly priceVersion: string;
  readonly now: () => Instant;
}

/**
 * Records the end of requests that a crash left open, so that the log has every request that reached the provider. Estimates
 * their usage from their size.
 * @returns the number of requests
 */
export async function settleAbandoned({
  open,
  isAbandoned,
  record,
  ...options
}: SettleAbandonedOptions): Promise<number> {
  const abandoned = [...open].filter(({ stream }) => isAbandoned(stream));
  for (const request of abandoned) {
    const { data, time: announcedAt } = request;
    const time = options.now();
    const usage = usageOf(data);
    const price = usage && options.priceOf(data.model);
    const costMicroDollars = usage && price ? costOf(usage, price, data.serviceTier ?? null) : null;
    const event = RequestCompleted({
      ...data,
      announcements: announcementsOf(request),
      status: 'error',
      errorCode: 'abandoned',
      errorMessage: 'The service stopped while the request was under way',
      latencyMs: Math.max(0, announcedAt - data.requestedAt),
      firstByteMs: null,
      usage,
      costMicroDollars,
      priceVersion: costMicroDollars === null ? null : options.priceVersion,
      attempts: [],
    });
    const actor = { kind: 'system', reason: 'requests left open by a crash are settled at the start' } as const;
    await record({ id: newEventId(), ...event, time, actor, correlationId: data.requestId });
  }
  return abandoned.length;
}

function usageOf({ admission }: OpenRequest['data']): TokenUsage | null {
  if (!admission) return null;
  const { inputTokens } = admission.estimate;
  return { inputTokens, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0, isEstimated: true };
}
