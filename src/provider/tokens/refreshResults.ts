import { accountTokens } from '../../domain/accountTokens/decide.ts';
import type { Instant } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { newEventId } from '../../eventLog/eventId.ts';
import type { EventToAppend } from '../../eventLog/eventLog.ts';
import { LogUnavailable } from '../../eventLog/eventSink.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { subjects } from '../../state/fold/subjects.ts';
import type { AccessTokensOptions } from './accessTokens.ts';

export interface RefreshResultsOptions {
  readonly hot: HotState;
  /** Makes an event durable in a stream of this node's own and folds it. @throws LogUnavailable */
  readonly record: (event: EventToAppend) => Promise<unknown>;
  readonly now: () => Instant;
}

/**
 * Results of refreshes in a stream of this node's own: the tokens that were there before are spent, so new ones must be
 * durable also while the store is away. No revision keeps them apart from a later claim; the fold does, by the claim's id.
 */
export const createRefreshResults =
  ({ hot, record, now }: RefreshResultsOptions): NonNullable<AccessTokensOptions['recordResult']> =>
  async (command, { actor, correlationId }) => {
    const time = now();
    const state = subjects.accountTokens.stateIn(hot, command.accountId);
    for (const event of accountTokens.decide(command, state, { now: time })) {
      await record({ ...event, id: newEventId(), time, actor, correlationId } as EventToAppend).catch(
        (error: unknown) =>
          error instanceof LogUnavailable
            ? refuse('log_unavailable', { reason: error.message })
            : Promise.reject(error),
      );
    }
  };
