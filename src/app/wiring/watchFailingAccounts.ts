import { type Health, healthOf, RECENT_MS } from '../../domain/accountHealth/healthOf.ts';
import type { AccountId, Instant } from '../../domain/core/brands.ts';
import { describeFailure } from '../../domain/request/describeAttempts.ts';
import type { CompletedRequest } from '../../domain/request/events.ts';
import type { Faults } from '../../lib/faults.ts';
import type { HotRunner } from '../../state/hotRunner.ts';

export interface WatchFailingAccountsOptions {
  readonly hot: Pick<HotRunner, 'state' | 'onFolded'>;
  readonly faults: Faults;
  readonly now: () => Instant;
}

const FAILING = 'account_failing';

/**
 * Keeps a fault for each account that is failing (docs/decisions/0067-account-health.md) while others serve. When none does, the
 * provider or the network fails, which is said once instead of for each account.
 */
export function watchFailingAccounts({ hot, faults, now }: WatchFailingAccountsOptions): void {
  const { accounts, health } = hot.state;

  function raise(accountId: AccountId, { attempts, failures, lastFailure }: Health): void {
    const last = lastFailure
      ? `, the last one with: ${describeFailure({
          outcome: lastFailure.class,
          code: lastFailure.code ?? undefined,
          providerStatus: lastFailure.providerStatus ?? undefined,
          errno: lastFailure.errno ?? undefined,
        })}`
      : '';
    const fault = {
      code: FAILING,
      subject: accountId,
      cause: `Account ${accountId} is failing: ${failures} of its last ${attempts} attempts failed${last}.`,
      remedy:
        'Other accounts serve its requests. Look at the account at the provider, sign in to it again, or pause it.',
    };
    faults.raise(fault, { overAfterMs: RECENT_MS, level: 'warn' });
  }

  function check(accountId: AccountId): void {
    if (accounts.get(accountId)?.status !== 'active') return;
    const current = healthOf(health.get(accountId), now());
    if (current.state === 'failing') raise(accountId, current);
  }

  /** Called for every request. */
  function onCompleted({ status, accountId, attempts }: CompletedRequest): void {
    if (status !== '200' || accountId === null) return;
    faults.clear(FAILING, accountId, `Account ${accountId} serves requests again.`);
    if (attempts.length === 1) return;
    for (const attempt of attempts) if (attempt.accountId !== accountId) check(attempt.accountId);
  }

  if (health.values().some((known) => healthOf(known, now()).state === 'healthy')) {
    for (const accountId of health.keys()) check(accountId);
  }
  hot.onFolded(({ type, data }) => {
    switch (type) {
      case 'RequestCompleted':
        onCompleted(data);
        return;
      case 'AccountImported':
      case 'AccountTokensReplaced':
      case 'AccountReactivated':
      case 'AccountPaused':
      case 'AccountDeactivated':
      case 'AccountDeleted':
        faults.clear(FAILING, data.accountId);
    }
  });
}
