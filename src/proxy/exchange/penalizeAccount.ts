import type { AccountId, Instant } from '../../domain/core/brands.ts';
import type { Classification } from './classify.ts';
import type { Accounts } from './ports.ts';

/**
 * Applies what a failure means for the account: on this node at once, on all nodes through the log.
 * @param requestId the request that failed
 */
export function penalizeAccount(
  { cooldowns, deactivate }: Pick<Accounts, 'cooldowns' | 'deactivate'>,
  accountId: AccountId | null,
  requestId: string,
  { effect, outcome, limitedUntil, coolForMs, code }: Classification,
  now: Instant,
): void {
  if (accountId === null) return;
  if (effect === 'cool') cooldowns.add(accountId, outcome, requestId, now, coolForMs);
  else if (effect === 'refresh') cooldowns.add(accountId, outcome, requestId, now);
  else if (effect === 'limit' && limitedUntil !== undefined) {
    cooldowns.limit(accountId, outcome, requestId, now, limitedUntil);
  } else if (effect === 'deactivate') deactivate(accountId, code ?? outcome);
}
