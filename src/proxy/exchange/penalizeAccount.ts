import type { AccountId, Instant } from '../../domain/core/brands.ts';
import type { Classification } from './classify.ts';
import type { Accounts } from './ports.ts';

/** Applies what a failure means for the account: on this node at once, on all nodes through the log. */
export function penalizeAccount(
  { cooldowns, deactivate }: Pick<Accounts, 'cooldowns' | 'deactivate'>,
  accountId: AccountId | null,
  { effect, outcome, limitedUntil, coolForMs, code }: Classification,
  now: Instant,
): void {
  if (accountId === null) return;
  if (effect === 'cool') cooldowns.add(accountId, outcome, now, coolForMs);
  else if (effect === 'refresh') cooldowns.add(accountId, outcome, now);
  else if (effect === 'limit' && limitedUntil !== undefined) cooldowns.limit(accountId, outcome, limitedUntil);
  else if (effect === 'deactivate') deactivate(accountId, code ?? outcome);
}
