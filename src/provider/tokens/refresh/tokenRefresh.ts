import type { SealedCredentials } from '../../../domain/account/events.ts';
import type { AccountId } from '../../../domain/core/brands.ts';
import { withTimeout } from '../../../lib/withTimeout.ts';
import { isProxyFailureCode } from '../../outgoingProxy/proxyFailure.ts';
import { createFailedRefreshes, isDescriptorCode, transientResult } from './failedRefreshes.ts';
import { createRefreshClaims } from './refreshClaims.ts';
import { createRefreshOutcomes } from './refreshOutcomes.ts';
import { createRequestTokens } from './requestTokens.ts';
import type { RefreshResult, TokenRefreshOptions } from './tokenRefreshOptions.ts';

/**
 * How long a request waits for a refresh before it tries another account; the refresh continues. The token endpoint has 8 s, so
 * a claim that lasts longer belongs to a node that died.
 */
const MAX_WAIT_MS = 12_000;
/** Maximum claims of one refresh that other nodes win or supersede, before it fails as transient. */
const MAX_CLAIMS = 10;

/** Ends with a refresh that succeeds, with other tokens of the account, or without it. */
export const TOKENS_NOT_REFRESHED = 'tokens_not_refreshed';

/** Refreshes tokens of accounts in three steps: claim, call, record. Parallel calls for an account share one refresh. */
export function createTokenRefresh(options: TokenRefreshOptions) {
  const { hot, newId, faults } = options;
  const inFlight = new Map<AccountId, Promise<RefreshResult>>();
  const stopping = new AbortController();
  const failedRefreshes = createFailedRefreshes(options);
  const claims = createRefreshClaims({
    ...options,
    failedRefreshes,
    isStopping: () => stopping.signal.aborted,
    reportProblem,
  });
  const requestTokens = createRequestTokens(options);
  const outcomes = createRefreshOutcomes({ ...options, stopping: stopping.signal, reportProblem });

  const tokensOf = (accountId: AccountId) => hot.state.tokens.get(accountId)?.tokens;

  function reportProblem(accountId: AccountId, problem: string): void {
    faults.raise({
      code: TOKENS_NOT_REFRESHED,
      subject: accountId,
      cause: `The tokens of account ${accountId} ${problem}. It serves no requests once they have expired.`,
      remedy: 'svc tries again by itself; if it lasts, check the network and SVC_AUTH_BASE_URL.',
    });
  }

  async function refreshStale(accountId: AccountId, stale: SealedCredentials): Promise<RefreshResult> {
    for (let attempts = 0; attempts < MAX_CLAIMS; ) {
      const known = claims.knownResult(accountId, stale);
      if (known === 'permanent') await deactivateAgain(accountId, stale);
      if (known) return known;
      const claim = await claims.claim(accountId, stale);
      if (claim === 'unreadable') return 'transient';
      if (claim === 'waited') continue;
      attempts++;
      const result = claim === 'lost' ? undefined : await refreshUnderClaim(accountId, claim.claimId);
      if (result) return result;
    }
    return 'transient';
  }

  /** @returns undefined if the claim was superseded, so that the caller should check the current tokens */
  async function refreshUnderClaim(accountId: AccountId, claimId: string): Promise<RefreshResult | undefined> {
    const before = tokensOf(accountId);
    if (!before) return undefined;
    const response = await requestTokens(accountId, before);
    if (response.kind === 'accountDeleted') return undefined;
    if (response.kind === 'renewed') {
      const { tokens, idToken, region } = response;
      await outcomes.recordResult({ type: 'RecordRefreshed', accountId, claimId, tokens, region });
      faults.clear(TOKENS_NOT_REFRESHED, accountId);
      if (tokensOf(accountId)?.access !== tokens.access) return undefined;
      if (idToken !== null) await outcomes.recordPlan(accountId, idToken, claimId);
      return 'refreshed';
    }
    const { code } = response;
    const isPermanent = response.kind === 'permanent';
    failedRefreshes.add(accountId, before.refresh, code, isPermanent);
    await outcomes.recordResult({ type: 'RecordRefreshFailed', accountId, claimId, code, isPermanent });
    if (tokensOf(accountId)?.refresh !== before.refresh) return undefined;
    if (isPermanent) await outcomes.deactivate(accountId, before, code, claimId);
    else if (!isProxyFailureCode(code) && !isDescriptorCode(code))
      reportProblem(accountId, `could not be refreshed (${code})`);
    return isPermanent ? 'permanent' : transientResult(code);
  }

  /** Repeats a deactivation that the log did not accept when the refresh failed. */
  async function deactivateAgain(accountId: AccountId, tokens: SealedCredentials): Promise<void> {
    const failed = failedRefreshes.of(accountId, tokens);
    if (!failed || hot.state.accounts.get(accountId)?.status !== 'active') return;
    await outcomes.deactivate(accountId, tokens, failed.code, newId());
  }

  return {
    /** Refreshes the current tokens of an account. Never rejects. */
    async refresh(accountId: AccountId): Promise<RefreshResult> {
      let refreshing = inFlight.get(accountId);
      if (!refreshing) {
        const stale = tokensOf(accountId);
        if (!stale) return 'permanent';
        refreshing = refreshStale(accountId, stale)
          .catch((error): RefreshResult => {
            reportProblem(accountId, `could not be refreshed: ${(error as Error).message}`);
            return 'transient';
          })
          .finally(() => inFlight.delete(accountId));
        inFlight.set(accountId, refreshing);
      }
      return (await withTimeout(MAX_WAIT_MS, refreshing)) ?? 'transient';
    },

    /** Whether a refresh would call the provider now. */
    isWorthwhile(accountId: AccountId): boolean {
      const tokens = tokensOf(accountId);
      return tokens !== undefined && claims.knownResult(accountId, tokens) === undefined;
    },

    /** Starts no more refreshes and waits for those in flight. */
    async stop(): Promise<void> {
      stopping.abort();
      claims.wakeAll();
      await Promise.all(inFlight.values());
    },
  };
}
