import { accountTokens } from '../../domain/accountTokens/decide.ts';
import type { Instant } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { newEventId } from '../../eventLog/eventId.ts';
import type { EventToAppend } from '../../eventLog/eventLog.ts';
import { LogUnavailable } from '../../eventLog/eventSink.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { subjects } from '../../state/fold/subjects.ts';
import type { RecordRefreshResult } from './refresh/tokenRefreshOptions.ts';

export interface RefreshResultRecorderOptions {
  readonly hot: HotState;
  /** Writes an event to one of this node's own streams and folds it. @throws LogUnavailable */
  readonly record: (event: EventToAppend) => Promise<unknown>;
  readonly now: () => Instant;
}

/**
 * Records results of refreshes in a stream of this node, which works while the event store is unavailable: the previous
 * tokens are spent, so the new ones must become durable. Such an append checks no expected revision; instead, the fold ignores
 * a result whose claim has been superseded, by the claim's id.
 */
export const createRefreshResultRecorder =
  ({ hot, record, now }: RefreshResultRecorderOptions): RecordRefreshResult =>
  async (command, { actor, correlationId }) => {
    const time = now();
    const state = subjects.accountTokens.stateIn(hot, command.accountId);
    for (const event of accountTokens.decide(command, state, { now: time, windowsNow: time })) {
      await record({ ...event, id: newEventId(), time, actor, correlationId } as EventToAppend).catch(
        (error: unknown) =>
          error instanceof LogUnavailable
            ? refuse('log_unavailable', { reason: error.message })
            : Promise.reject(error),
      );
    }
  };
