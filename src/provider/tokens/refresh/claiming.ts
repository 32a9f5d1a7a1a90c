import type { SealedTokens } from '../../../domain/account/events.ts';
import type { AccountId } from '../../../domain/core/brands.ts';
import { refuse } from '../../../domain/core/refusal.ts';
import { subjects } from '../../../state/fold/subjects.ts';
import type { AccessTokensOptions, RefreshResult } from '../accessTokens.ts';
import { causeOf, guarded, isRefusal } from './refreshCommands.ts';
import type { Setbacks } from './setbacks.ts';

export interface ClaimingOptions extends Pick<AccessTokensOptions, 'hot' | 'handle' | 'vault' | 'now' | 'newId'> {
  readonly setbacks: Setbacks;
  readonly isStopping: () => boolean;
  readonly trouble: (accountId: AccountId, what: string, cause?: unknown) => void;
}

export interface Claiming {
  /** What can be said without asking the provider; undefined when it must be asked. */
  verdictOn(accountId: AccountId, stale: SealedTokens): RefreshResult | undefined;
  /**
   * Puts a claim into the log, unless somebody has one: then waits for its end.
   * @returns the claim's id, or why there is none; after `waited` and `lost` it is worth looking again
   */
  claim(
    accountId: AccountId,
    stale: SealedTokens,
  ): Promise<{ readonly claimId: string } | 'waited' | 'lost' | 'unreadable'>;
  /** Ends all waiting. */
  wakeAll(): void;
}

/** A claim ends sooner, unless the clock was put back since: by years, it would be too long for a timer. */
const LOOK_AGAIN_MS = 60_000;

/**
 * Who may spend the refresh token: the claim commits before the provider is called, so that two nodes cannot both spend
 * what works once (docs/decisions/0030-token-refresh-claims.md).
 */
export function createClaiming(options: ClaimingOptions): Claiming {
  const { hot, handle, vault, now, newId, setbacks, isStopping, trouble } = options;
  const waiting = new Map<AccountId, Set<() => void>>();

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
    for (const done of [...(waiting.get(accountId) ?? [])]) done();
  }

  function changeOf(accountId: AccountId, atMostMs: number): Promise<void> {
    return new Promise((resolve) => {
      const waiters = waiting.get(accountId) ?? new Set();
      waiting.set(accountId, waiters);
      const done = () => {
        clearTimeout(timer);
        waiters.delete(done);
        if (waiters.size === 0) waiting.delete(accountId);
        resolve();
      };
      const timer = setTimeout(done, atMostMs).unref();
      waiters.add(done);
    });
  }

  function verdictOn(accountId: AccountId, stale: SealedTokens): RefreshResult | undefined {
    const account = hot.state.accounts.get(accountId);
    const tokens = hot.state.tokens.get(accountId)?.tokens;
    if (!account || !tokens) return 'permanent';
    if (tokens.access !== stale.access) return 'already';
    if (account.status === 'deactivated') return 'permanent';
    const setback = setbacks.of(accountId, tokens);
    if (setback) return setback.until === Number.POSITIVE_INFINITY ? 'permanent' : 'transient';
    return isStopping() ? 'transient' : undefined;
  }

  /** A failure of the vault is ours: nothing is claimed for it and nothing said against the account. */
  function canOpen(accountId: AccountId, { refresh }: SealedTokens): boolean {
    try {
      vault.open(refresh);
      return true;
    } catch {
      // Told by whoever tried to open the access token before.
      setbacks.add(accountId, refresh, 'unreadable_tokens', false);
      return false;
    }
  }

  async function hasClaimed(accountId: AccountId, claimId: string, stale: SealedTokens): Promise<boolean> {
    try {
      const command = { type: 'ClaimRefresh', accountId, claimId } as const;
      // Whoever loses a race decides again, and by then the winner may have said all that there is to say.
      const stillAsking = guarded(subjects.accountTokens, () => {
        if (verdictOn(accountId, stale)) refuse('conflict', { claimId });
      });
      const { state } = await handle(stillAsking, accountId, command, causeOf(claimId));
      return state.claim?.claimId === claimId;
    } catch (error) {
      if (isRefusal(error, 'conflict')) return false;
      setbacks.add(accountId, stale.refresh, 'log_unavailable', false);
      trouble(accountId, 'cannot be refreshed while the log does not take the claim', error);
      return false;
    }
  }

  return {
    verdictOn,
    async claim(accountId, stale) {
      const others = hot.state.tokens.get(accountId)?.claim;
      if (others && others.expiresAt > now()) {
        await changeOf(accountId, Math.min(others.expiresAt - now(), LOOK_AGAIN_MS));
        return 'waited';
      }
      if (!canOpen(accountId, stale)) return 'unreadable';
      const claimId = newId();
      return (await hasClaimed(accountId, claimId, stale)) ? { claimId } : 'lost';
    },
    wakeAll() {
      for (const accountId of [...waiting.keys()]) wake(accountId);
    },
  };
}
