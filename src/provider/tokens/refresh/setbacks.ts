import type { SealedTokens } from '../../../domain/account/events.ts';
import type { AccountId, Instant, Sealed } from '../../../domain/core/brands.ts';
import type { HotRunner } from '../../../state/hotRunner.ts';

/** What is known of a refresh token that failed. */
export interface Setback {
  readonly refresh: Sealed;
  readonly code: string;
  /** Infinity: for good. */
  readonly until: number;
}

/** Refresh tokens that nobody should try now, or ever again. */
export interface Setbacks {
  /** Undefined when the account's present refresh token may be tried. */
  of(accountId: AccountId, tokens: SealedTokens): Setback | undefined;
  add(accountId: AccountId, refresh: Sealed, code: string, isPermanent: boolean): void;
}

/** For so long nobody asks again after a failure that may pass: a dead token endpoint is not hammered. */
const COOL_DOWN_MS = 5_000;

/** Learns from the log as well: another node's failure is as good as our own. */
export function createSetbacks({ hot, now }: { hot: HotRunner; now: () => Instant }): Setbacks {
  const setbacks = new Map<AccountId, Setback>();
  /** Which refresh token a claim that this node saw is about. */
  const claims = new Map<AccountId, { readonly claimId: string; readonly refresh: Sealed | undefined }>();

  function set(accountId: AccountId, refresh: Sealed, code: string, isPermanent: boolean, at: Instant): void {
    setbacks.set(accountId, { refresh, code, until: isPermanent ? Number.POSITIVE_INFINITY : at + COOL_DOWN_MS });
  }

  hot.onFolded((event) => {
    switch (event.type) {
      case 'TokenRefreshClaimed': {
        const { accountId, claimId } = event.data;
        claims.set(accountId, { claimId, refresh: hot.state.tokens.get(accountId)?.tokens?.refresh });
        return;
      }
      case 'TokenRefreshFailed': {
        const { accountId, claimId, code, isPermanent } = event.data;
        const claim = claims.get(accountId);
        if (claim?.claimId === claimId && claim.refresh) set(accountId, claim.refresh, code, isPermanent, event.time);
        return;
      }
      case 'AccountReactivated':
        // The operator wants another try.
        setbacks.delete(event.data.accountId);
        return;
      case 'TokensRefreshed':
      case 'AccountImported':
      case 'AccountTokensReplaced':
      case 'AccountDeleted':
        setbacks.delete(event.data.accountId);
        claims.delete(event.data.accountId);
        return;
    }
  });

  return {
    of(accountId, { refresh }) {
      const setback = setbacks.get(accountId);
      if (!setback || setback.refresh !== refresh) return undefined;
      // One that lasts for longer than any does was set by a clock that has been put back.
      const leftMs = setback.until - now();
      return leftMs === Number.POSITIVE_INFINITY || (leftMs > 0 && leftMs <= COOL_DOWN_MS) ? setback : undefined;
    },
    add: (accountId, refresh, code, isPermanent) => set(accountId, refresh, code, isPermanent, now()),
  };
}
