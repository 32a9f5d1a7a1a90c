import type { DomainEvent, Recorded } from '../../domain/core/event.ts';
import type { Admission, Attempt, CompletedRequest, TokenUsage } from '../../domain/request/events.ts';
import type { RecordedEvent } from '../../eventLog/eventLog.ts';

/**
 * The fields of a completed request that the fold reads. Of `requestedAt` and the admission only what `countedAt` reads has to
 * be right.
 */
export type FoldedRequest = Pick<
  CompletedRequest,
  | 'requestId'
  | 'keyId'
  | 'owner'
  | 'team'
  | 'model'
  | 'requestedAt'
  | 'announcements'
  | 'status'
  | 'accountId'
  | 'costMicroDollars'
> & {
  readonly usage: Pick<TokenUsage, 'inputTokens' | 'outputTokens'> | null;
  readonly admission?: Pick<Admission, 'decidedAt' | 'asOf' | 'v'> | undefined;
  readonly pin?: CompletedRequest['pin'];
  /** Left out if none of them failed because of its account. */
  readonly attempts: readonly Pick<
    Attempt,
    'accountId' | 'endedAt' | 'outcome' | 'limitedUntil' | 'code' | 'isRepeat' | 'providerStatus' | 'errno'
  >[];
};

/** An event with the part of its data that the fold reads. */
export type FoldedEvent =
  | Exclude<RecordedEvent, { type: 'RequestCompleted' }>
  | Pick<Recorded<DomainEvent<'RequestCompleted', FoldedRequest>>, 'type' | 'data' | 'position' | 'time'>;
