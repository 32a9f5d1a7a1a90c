import type { Instant } from '../../domain/core/brands.ts';
import { excludedPlans } from '../../domain/modelCatalogue/excludedPlans.ts';
import type { Attempt } from '../../domain/request/events.ts';
import { availabilityOf } from '../../domain/routing/availability.ts';
import { plansToSkip } from '../../domain/routing/select.ts';
import type { Accounts } from './ports.ts';

/**
 * When a repeat of a failed request can succeed: as soon as one of the accounts that are offered its model is available.
 * @param attempts of the request: the log does not have their limits yet
 * @returns `now` when an account is available, null when none comes back by itself
 */
export function availableAgainAt(
  { hot, cooldowns }: Pick<Accounts, 'hot' | 'cooldowns'>,
  model: string,
  attempts: readonly Pick<Attempt, 'accountId' | 'limitedUntil'>[],
  now: Instant,
): Instant | null {
  const { accounts, usage } = hot;
  const skipped = plansToSkip({ accounts, excludedPlans: excludedPlans(hot.models, model) });
  let first: Instant | null = null;
  for (const account of accounts.values()) {
    if (skipped.has(account.planType)) continue;
    const { state, until } = availabilityOf(account, usage.get(account.id), cooldowns.get(account.id), now);
    let at = state === 'available' ? now : until;
    if (at === null) continue;
    for (const { accountId, limitedUntil } of attempts) {
      if (accountId === account.id && limitedUntil !== undefined && limitedUntil > at) at = limitedUntil;
    }
    if (first === null || at < first) first = at;
  }
  return first;
}
