import type { SealedCredentials } from '../../../domain/account/events.ts';
import type { AccountId } from '../../../domain/core/brands.ts';
import { refuse } from '../../../domain/core/refusal.ts';
import { subjects } from '../../../state/fold/subjects.ts';
import { type FailedRefreshes, transientResult } from './failedRefreshes.ts';
import { causeOf, isRefusal, withPrecondition } from './refreshCommands.ts';
import type { RefreshResult, TokenRefreshOptions } from './tokenRefreshOptions.ts';

export interface RefreshClaimsOptions extends Pick<TokenRefreshOptions, 'hot' | 'handle' | 'vault' | 'now' | 'newId'> {
  readonly failedRefreshes: FailedRefreshes;
  readonly isStopping: () => boolean;
  readonly reportProblem: (accountId: AccountId, problem: string) => void;
}

/** The claims of this node. */
export interface RefreshClaims {
  /** The result that is known without calling the provider; undefined if it must be called. */
  knownResult(accountId: AccountId, stale: SealedCredentials): RefreshResult | undefined;
  /**
   * Writes a claim to the log. If another call or node has one, waits for its end instead.
   * @returns the claim's id, or why there is none; after `waited` and `lost` the caller should check again
   */
  claim(
    accountId: AccountId,
    stale: SealedCredentials,
  ): Promise<{ readonly claimId: string } | 'waited' | 'lost' | 'unreadable'>;
  /** Ends all waiting. */
  wakeAll(): void;
}

/** Bounds the wait for a claim whose expiry lies far in the future, because the clock was set back since. */
const MAX_WAIT_MS = 60_000;

/**
 * Claims decide who may spend a refresh token. A claim is committed before the provider is called, so that two nodes cannot
 * both spend a token that works once (docs/decisions/0030-token-refresh-claims.md).
 */
export function createRefreshClaims(options: RefreshClaimsOptions): RefreshClaims {
  const { hot, handle, vault, now, newId, failedRefreshes, isStopping, reportProblem } = options;
  const waiters = new Map<AccountId, Set<() => void>>();

  hot.onFolded((event) => {
    switch (event.type) {
      case 'TokenRefreshFailed':
      case 'TokensRefreshed':
      case 'AccountImported':
      case 'AccountTokensReplaced':
      case 'AccountDeleted':
        wake(event.data.accountId);
    }
  });

  function wake(accountId: AccountId): void {
    for (const done of [...(waiters.get(accountId) ?? [])]) done();
  }

  function nextChange(accountId: AccountId, timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const ofAccount = waiters.get(accountId) ?? new Set();
      waiters.set(accountId, ofAccount);
      const done = () => {
        clearTimeout(timer);
        ofAccount.delete(done);
        if (ofAccount.size === 0) waiters.delete(accountId);
        resolve();
      };
      const timer = setTimeout(done, timeoutMs).unref();
      ofAccount.add(done);
    });
  }

  function knownResult(accountId: AccountId, stale: SealedCredentials): RefreshResult | undefined {
    const account = hot.state.accounts.get(accountId);
    const tokens = hot.state.tokens.get(accountId)?.tokens;
    if (!account || !tokens) return 'permanent';
    if (tokens.access !== stale.access) return 'already';
    if (account.status === 'deactivated') return 'permanent';
    const failed = failedRefreshes.of(accountId, tokens);
    if (failed) return failed.until === Number.POSITIVE_INFINITY ? 'permanent' : transientResult(failed.code);
    return isStopping() ? 'transient' : undefined;
  }

  /** @returns false if the vault cannot open the token: then it is not claimed, and the account is not deactivated */
  function canOpen(accountId: AccountId, { refresh }: SealedCredentials): boolean {
    try {
      vault.open(refresh);
      return true;
    } catch {
      // Reported by `AccessTokens`, which failed to open the access token.
      failedRefreshes.add(accountId, refresh, 'unreadable_tokens', false);
      return false;
    }
  }

  async function tryClaim(accountId: AccountId, claimId: string, stale: SealedCredentials): Promise<boolean> {
    try {
      const command = { type: 'ClaimRefresh', accountId, claimId } as const;
      // After a lost race the command is decided again, and by then the winner may have refreshed the tokens.
      const unlessKnown = withPrecondition(subjects.accountTokens, () => {
        if (knownResult(accountId, stale)) refuse('conflict', { claimId });
      });
      const { state } = await handle(unlessKnown, accountId, command, causeOf(claimId));
      return state.claim?.claimId === claimId;
    } catch (error) {
      if (isRefusal(error, 'conflict')) return false;
      failedRefreshes.add(accountId, stale.refresh, 'log_unavailable', false);
      const { message } = error as Error;
      reportProblem(accountId, `cannot be refreshed: the log did not accept the claim: ${message}`);
      return false;
    }
  }

  return {
    knownResult,
    async claim(accountId, stale) {
      const current = hot.state.tokens.get(accountId)?.claim;
      if (current && current.expiresAt > now()) {
        await nextChange(accountId, Math.min(current.expiresAt - now(), MAX_WAIT_MS));
        return 'waited';
      }
      if (!canOpen(accountId, stale)) return 'unreadable';
      const claimId = newId();
      return (await tryClaim(accountId, claimId, stale)) ? { claimId } : 'lost';
    },
    wakeAll() {
      for (const accountId of [...waiters.keys()]) wake(accountId);
    },
  };
}
