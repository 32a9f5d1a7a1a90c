import type { SealedCredentials } from '../../../domain/account/events.ts';
import type { AccountId, Instant, Sealed } from '../../../domain/core/brands.ts';
import { isDescriptorErrno } from '../../../lib/descriptors/systemDescriptors.ts';
import type { HotRunner } from '../../../state/hotRunner.ts';
import { isProxyFailureCode } from '../../outgoingProxy/proxyFailure.ts';
import type { RefreshResult } from './tokenRefreshOptions.ts';

/** A refresh token that failed. */
export interface FailedRefresh {
  readonly refresh: Sealed;
  readonly code: string;
  /** Infinite for a permanent failure. */
  readonly until: number;
}

/** Refresh tokens that must not be tried now, or at all. */
export interface FailedRefreshes {
  /** @returns undefined if the account's current refresh token may be tried */
  of(accountId: AccountId, tokens: SealedCredentials): FailedRefresh | undefined;
  add(accountId: AccountId, refresh: Sealed, code: string, isPermanent: boolean): void;
}

/** After a transient failure, so that a token endpoint that is down is not hammered. */
const COOL_DOWN_MS = 5_000;

/** @returns the result of a refresh that failed with this code, and that may succeed later */
export const transientResult = (code: string): RefreshResult =>
  isProxyFailureCode(code) ? 'proxyFailed' : isDescriptorCode(code) ? 'outOfDescriptors' : 'transient';

/** Whether svc had no file descriptor for the call. It says nothing about the token. */
export const isDescriptorCode = (code: string): boolean => isDescriptorErrno(code.toUpperCase());

/** Remembers refresh tokens that failed, on this node or, according to the log, on others. */
export function createFailedRefreshes({ hot, now }: { hot: HotRunner; now: () => Instant }): FailedRefreshes {
  const failures = new Map<AccountId, FailedRefresh>();
  /** The refresh token that each claim in the log is about. */
  const claims = new Map<AccountId, { readonly claimId: string; readonly refresh: Sealed | undefined }>();

  function set(accountId: AccountId, refresh: Sealed, code: string, isPermanent: boolean, at: Instant): void {
    if (isDescriptorCode(code)) return;
    failures.set(accountId, { refresh, code, until: isPermanent ? Number.POSITIVE_INFINITY : at + COOL_DOWN_MS });
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
        // The operator asks for another attempt.
        failures.delete(event.data.accountId);
        return;
      case 'TokensRefreshed':
      case 'AccountImported':
      case 'AccountTokensReplaced':
      case 'AccountDeleted':
        failures.delete(event.data.accountId);
        claims.delete(event.data.accountId);
        return;
    }
  });

  return {
    of(accountId, { refresh }) {
      const failed = failures.get(accountId);
      if (!failed || failed.refresh !== refresh) return undefined;
      // A longer remaining time than any cool-down has means that the clock was set back since.
      const remainingMs = failed.until - now();
      return remainingMs === Number.POSITIVE_INFINITY || (remainingMs > 0 && remainingMs <= COOL_DOWN_MS)
        ? failed
        : undefined;
    },
    add: (accountId, refresh, code, isPermanent) => set(accountId, refresh, code, isPermanent, now()),
  };
}
