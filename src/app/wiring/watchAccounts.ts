import type { AccountId } from '../../domain/core/brands.ts';
import type { Faults } from '../../lib/faults.ts';
import { TOKENS_UNREADABLE } from '../../provider/tokens/accessTokens.ts';
import { TOKENS_NOT_REFRESHED } from '../../provider/tokens/refresh/tokenRefresh.ts';
import { USAGE_NOT_RECORDED } from '../../provider/usage/learnedUsage.ts';
import { USAGE_UNAVAILABLE } from '../../provider/usage/observeUsage.ts';
import type { HotRunner } from '../../state/hotRunner.ts';

export interface WatchAccountsOptions {
  readonly hot: Pick<HotRunner, 'state' | 'onFolded'>;
  readonly faults: Faults;
}

const DEACTIVATED = 'account_deactivated';
/** Faults that other tokens end. */
const OF_TOKENS = [TOKENS_UNREADABLE, TOKENS_NOT_REFRESHED];
/** Faults of an account that is not called any more. */
const OF_CALLS = [...OF_TOKENS, USAGE_UNAVAILABLE, USAGE_NOT_RECORDED];

/** Keeps a fault for each deactivated account, and ends those of accounts that changed, whichever node changed them. */
export function watchAccounts({ hot, faults }: WatchAccountsOptions): void {
  const clear = (codes: readonly string[], accountId: AccountId): void => {
    for (const code of codes) faults.clear(code, accountId);
  };
  const raise = (accountId: AccountId, reason: string | null): void =>
    faults.raise({
      code: DEACTIVATED,
      subject: accountId,
      cause: `Account ${accountId} is deactivated and serves no requests: ${reason ?? 'the reason is not known'}.`,
      remedy: 'To use it, sign in to it again or import it again; else delete it.',
    });

  for (const { id, status, deactivationReason } of hot.state.accounts.values()) {
    if (status === 'deactivated') raise(id, deactivationReason);
  }
  hot.onFolded(({ type, data }) => {
    switch (type) {
      case 'AccountDeactivated':
        clear(OF_CALLS, data.accountId);
        raise(data.accountId, data.reason);
        return;
      case 'AccountImported':
      case 'AccountTokensReplaced':
        clear([DEACTIVATED, ...OF_TOKENS], data.accountId);
        return;
      case 'TokensRefreshed':
        clear(OF_TOKENS, data.accountId);
        return;
      case 'AccountPaused':
      case 'AccountReactivated':
        faults.clear(DEACTIVATED, data.accountId);
        return;
      case 'AccountDeleted':
        clear([DEACTIVATED, ...OF_CALLS], data.accountId);
    }
  });
}
