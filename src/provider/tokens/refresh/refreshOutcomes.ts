import { setTimeout as delay } from 'node:timers/promises';
import type { SealedCredentials } from '../../../domain/account/events.ts';
import type { RefreshResultCommand } from '../../../domain/accountTokens/decide.ts';
import type { AccountId } from '../../../domain/core/brands.ts';
import { refuse } from '../../../domain/core/refusal.ts';
import { subjects } from '../../../state/fold/subjects.ts';
import { identityOf } from '../../client/jwt.ts';
import { deactivationReason } from '../../client/permanentFailures.ts';
import { causeOf, isRefusal, withPrecondition } from './refreshCommands.ts';
import type { TokenRefreshOptions } from './tokenRefreshOptions.ts';

export interface RefreshOutcomesOptions
  extends Pick<TokenRefreshOptions, 'hot' | 'handle' | 'recordResult' | 'report'> {
  readonly stopping: AbortSignal;
  readonly reportProblem: (accountId: AccountId, problem: string) => void;
}

/** Writes the result of a refresh to the log. */
export interface RefreshOutcomes {
  /**
   * Records new tokens or a failure. The old refresh token is spent, so this retries while the log is unavailable. Resolves
   * once it is recorded, when the claim has been superseded, or after one more attempt once `stopping` is aborted.
   */
  recordResult(command: RefreshResultCommand): Promise<void>;
  /** Records the plan that a new id token names. */
  recordPlan(accountId: AccountId, idToken: string, claimId: string): Promise<void>;
  /** Deactivates an account whose tokens failed permanently, unless it has received new tokens since. */
  deactivate(accountId: AccountId, failed: SealedCredentials, code: string, claimId: string): Promise<void>;
}

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 5_000;

/** Creates the recorder of refresh results. */
export function createRefreshOutcomes(options: RefreshOutcomesOptions): RefreshOutcomes {
  const { hot, handle, report, stopping, reportProblem } = options;
  const { recordResult = recordByHandle } = options;

  async function recordByHandle(command: RefreshResultCommand): Promise<void> {
    await handle(subjects.accountTokens, command.accountId, command, causeOf(command.claimId));
  }

  function reportUnlessOutdated(error: unknown): void {
    if (!isRefusal(error, 'account_not_found') && !isRefusal(error, 'conflict')) report(error as Error);
  }

  return {
    async recordResult(command) {
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
        const isLastAttempt = stopping.aborted;
        try {
          await recordResult(command, causeOf(command.claimId));
          return;
        } catch (error) {
          // The claim was superseded. A conflict that names a stream is a lost race instead.
          if (isRefusal(error, 'conflict') && !('stream' in error.details)) return;
          const { message } = error as Error;
          reportProblem(command.accountId, `were refreshed, but the log did not accept the result: ${message}`);
        }
        if (isLastAttempt) return;
        await delay(pauseMs, undefined, { signal: stopping, ref: false }).catch(() => {});
      }
    },

    async recordPlan(accountId, idToken, claimId) {
      const planType = identityOf(idToken)?.planType;
      if (!planType || planType === hot.state.accounts.get(accountId)?.planType) return;
      const command = { type: 'ObservePlan', accountId, planType } as const;
      await handle(subjects.account, accountId, command, causeOf(claimId)).catch(reportUnlessOutdated);
    },

    async deactivate(accountId, failed, code, claimId) {
      const command = { type: 'DeactivateAccount', accountId, reason: deactivationReason(code), code } as const;
      // An import can replace the tokens at any time, and the failure of the old ones must not deactivate the account then.
      const whileUnchanged = withPrecondition(subjects.account, () => {
        if (hot.state.tokens.get(accountId)?.tokens?.refresh !== failed.refresh) refuse('conflict', { accountId });
      });
      await handle(whileUnchanged, accountId, command, causeOf(claimId)).catch(reportUnlessOutdated);
    },
  };
}
