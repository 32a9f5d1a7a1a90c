import { setTimeout as delay } from 'node:timers/promises';
import type { SealedTokens } from '../../../domain/account/events.ts';
import type { RefreshResultCommand } from '../../../domain/accountTokens/decide.ts';
import type { AccountId } from '../../../domain/core/brands.ts';
import { refuse } from '../../../domain/core/refusal.ts';
import { subjects } from '../../../state/fold/subjects.ts';
import { identityOf } from '../../client/jwt.ts';
import { deactivationReason } from '../../client/permanentFailures.ts';
import type { AccessTokensOptions } from '../accessTokens.ts';
import { causeOf, guarded, isRefusal } from './refreshCommands.ts';

export interface RecordingOptions extends Pick<AccessTokensOptions, 'hot' | 'handle' | 'recordResult' | 'report'> {
  readonly stopping: AbortSignal;
  readonly trouble: (accountId: AccountId, what: string, cause?: unknown) => void;
}

export interface Recording {
  /**
   * The old token is spent, so what came for it must reach the log, however long the log is away. Ends when it did, or
   * when the claim is no longer ours, or at `stopping` after one more attempt.
   */
  result(command: RefreshResultCommand): Promise<void>;
  /** What a new id token says of the account's plan. */
  plan(accountId: AccountId, idToken: string, claimId: string): Promise<void>;
  /** Takes an account out of service whose tokens failed for good, unless it has got others since. */
  failure(accountId: AccountId, failed: SealedTokens, code: string, claimId: string): Promise<void>;
}

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 5_000;

export function createRecording(options: RecordingOptions): Recording {
  const { hot, handle, report, stopping, trouble } = options;
  const { recordResult = byHandle } = options;

  async function byHandle(command: RefreshResultCommand): Promise<void> {
    await handle(subjects.accountTokens, command.accountId, command, causeOf(command.claimId));
  }

  function unlessOutdated(error: unknown): void {
    if (!isRefusal(error, 'account_not_found') && !isRefusal(error, 'conflict')) report(error as Error);
  }

  return {
    async result(command) {
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
        const isLast = stopping.aborted;
        try {
          await recordResult(command, causeOf(command.claimId));
          return;
        } catch (error) {
          // The claim was superseded; a conflict about the stream is only a race.
          if (isRefusal(error, 'conflict') && !('stream' in error.details)) return;
          trouble(command.accountId, 'were answered by the provider, but the log does not take it', error);
        }
        if (isLast) return;
        await delay(pauseMs, undefined, { signal: stopping, ref: false }).catch(() => {});
      }
    },

    async plan(accountId, idToken, claimId) {
      const planType = identityOf(idToken)?.planType;
      if (!planType || planType === hot.state.accounts.get(accountId)?.planType) return;
      const command = { type: 'ObservePlan', accountId, planType } as const;
      await handle(subjects.account, accountId, command, causeOf(claimId)).catch(unlessOutdated);
    },

    async failure(accountId, failed, code, claimId) {
      const command = { type: 'DeactivateAccount', accountId, reason: deactivationReason(code), code } as const;
      // An import may bring new tokens at any moment: what is said of the old ones is not held against them.
      const stillMeant = guarded(subjects.account, () => {
        if (hot.state.tokens.get(accountId)?.tokens?.refresh !== failed.refresh) refuse('conflict', { accountId });
      });
      await handle(stillMeant, accountId, command, causeOf(claimId)).catch(unlessOutdated);
    },
  };
}
