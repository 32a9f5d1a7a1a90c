import type { AccountId, Instant } from '../../domain/core/brands.ts';
import type { Classified } from './classify.ts';
import type { ExchangeServices } from './exchangeServices.ts';

/** Lets an account bear what its failure means: on this node at once, and by the log for all. */
export function penalizeAccount(
  { cooldowns, deactivate }: Pick<ExchangeServices, 'cooldowns' | 'deactivate'>,
  accountId: AccountId | null,
  { effect, outcome, limitedUntil, coolForMs, code }: Classified,
  now: Instant,
): void {
  if (accountId === null) return;
  if (effect === 'cool') cooldowns.add(accountId, outcome, now, coolForMs);
  else if (effect === 'refresh') cooldowns.add(accountId, outcome, now);
  else if (effect === 'limit' && limitedUntil !== undefined) cooldowns.limit(accountId, outcome, limitedUntil);
  else if (effect === 'deactivate') deactivate(accountId, code ?? outcome);
}
