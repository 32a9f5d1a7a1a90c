import type { SealedTokens } from '../../../domain/account/events.ts';
import type { AccountId } from '../../../domain/core/brands.ts';
import { withTimeout } from '../../../lib/withTimeout.ts';
import { createThrottledReports, ProviderTrouble } from '../../client/throttledReports.ts';
import type { AccessTokensOptions, RefreshResult } from '../accessTokens.ts';
import { createCalling } from './calling.ts';
import { createClaiming } from './claiming.ts';
import { createRecording } from './recording.ts';
import { createSetbacks } from './setbacks.ts';

/**
 * How long one caller waits. The token endpoint has 8 s, so a claim that lasts longer belongs to a node that died; the
 * wait for its end goes on without the caller, who has other accounts to ask.
 */
const PATIENCE_MS = 12_000;
/** Claims of one refresh that were lost to others, or superseded. */
const MAX_TRIES = 10;

/**
 * Refreshes the tokens of accounts, once for all who ask: claim, call, record. What each step promises stands with it.
 */
export function createTokenRefresh(options: AccessTokensOptions) {
  const { hot, now, newId, report } = options;
  const underWay = new Map<AccountId, Promise<RefreshResult>>();
  const stopping = new AbortController();
  const reportRarely = createThrottledReports({ report, now });
  const setbacks = createSetbacks(options);
  const claiming = createClaiming({ ...options, setbacks, isStopping: () => stopping.signal.aborted, trouble });
  const call = createCalling(options);
  const recording = createRecording({ ...options, stopping: stopping.signal, trouble });

  const tokensOf = (accountId: AccountId) => hot.state.tokens.get(accountId)?.tokens;

  function trouble(accountId: AccountId, what: string, cause?: unknown): void {
    reportRarely(accountId, new ProviderTrouble(`the tokens of account ${accountId} ${what}`, { cause }));
  }

  async function obtain(accountId: AccountId, stale: SealedTokens): Promise<RefreshResult> {
    for (let tries = 0; tries < MAX_TRIES; ) {
      const verdict = claiming.verdictOn(accountId, stale);
      if (verdict === 'permanent') await deactivateAgain(accountId, stale);
      if (verdict) return verdict;
      const claim = await claiming.claim(accountId, stale);
      if (claim === 'unreadable') return 'transient';
      if (claim === 'waited') continue;
      tries++;
      const result = claim === 'lost' ? undefined : await spend(accountId, claim.claimId);
      if (result) return result;
    }
    return 'transient';
  }

  /** Calls the provider under a claim. Undefined: the claim was superseded, look again at what stands there now. */
  async function spend(accountId: AccountId, claimId: string): Promise<RefreshResult | undefined> {
    const before = tokensOf(accountId);
    if (!before) return undefined;
    const renewal = await call(before);
    if (renewal.kind === 'pointless') return undefined;
    if (renewal.kind === 'renewed') {
      const { tokens, idToken } = renewal;
      await recording.result({ type: 'RecordRefreshed', accountId, claimId, tokens });
      if (tokensOf(accountId)?.access !== tokens.access) return undefined;
      if (idToken !== null) await recording.plan(accountId, idToken, claimId);
      return 'refreshed';
    }
    const { code } = renewal;
    const isPermanent = renewal.kind === 'permanent';
    setbacks.add(accountId, before.refresh, code, isPermanent);
    await recording.result({ type: 'RecordRefreshFailed', accountId, claimId, code, isPermanent });
    if (tokensOf(accountId)?.refresh !== before.refresh) return undefined;
    if (isPermanent) await recording.failure(accountId, before, code, claimId);
    else trouble(accountId, `could not be refreshed (${code})`);
    return renewal.kind;
  }

  /** The first attempt may have met a log that was away. */
  async function deactivateAgain(accountId: AccountId, tokens: SealedTokens): Promise<void> {
    const setback = setbacks.of(accountId, tokens);
    if (!setback || hot.state.accounts.get(accountId)?.status !== 'active') return;
    await recording.failure(accountId, tokens, setback.code, newId());
  }

  return {
    async refresh(accountId: AccountId): Promise<RefreshResult> {
      let flight = underWay.get(accountId);
      if (!flight) {
        const stale = tokensOf(accountId);
        if (!stale) return 'permanent';
        flight = obtain(accountId, stale)
          .catch((error): RefreshResult => {
            trouble(accountId, 'could not be refreshed', error);
            return 'transient';
          })
          .finally(() => underWay.delete(accountId));
        underWay.set(accountId, flight);
      }
      return (await withTimeout(PATIENCE_MS, flight)) ?? 'transient';
    },

    isWorthwhile(accountId: AccountId): boolean {
      const tokens = tokensOf(accountId);
      return tokens !== undefined && claiming.verdictOn(accountId, tokens) === undefined;
    },

    async stop(): Promise<void> {
      stopping.abort();
      claiming.wakeAll();
      await Promise.all(underWay.values());
    },
  };
}
