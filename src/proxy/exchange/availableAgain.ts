import { regionsOf } from '../../domain/apiKey/regionsOf.ts';
import type { Instant } from '../../domain/core/brands.ts';
import { excludedPlans } from '../../domain/modelCatalogue/excludedPlans.ts';
import type { Attempt } from '../../domain/request/events.ts';
import { availabilityOf } from '../../domain/routing/availability.ts';
import { isInRegion, plansToSkip } from '../../domain/routing/select.ts';
import type { AdmittedRequest } from './admittedRequest.ts';
import type { Accounts } from './ports.ts';

/**
 * When a repeat of a failed request can succeed: as soon as one of the accounts that may serve it is available.
 * @param attempts of the request: the log does not have their limits yet
 * @returns `now` when an account is available, null when none comes back by itself
 */
export function availableAgainAt(
  { hot, cooldowns }: Pick<Accounts, 'hot' | 'cooldowns'>,
  { key, model }: Pick<AdmittedRequest, 'key' | 'model'>,
  attempts: readonly Pick<Attempt, 'accountId' | 'limitedUntil'>[],
  now: Instant,
): Instant | null {
  const { accounts, usage } = hot;
  const regions = regionsOf(hot, key?.id ?? null);
  const skipped = plansToSkip({ accounts, excludedPlans: excludedPlans(hot.models, model), regions });
  let first: Instant | null = null;
  for (const account of accounts.values()) {
    if (skipped.has(account.planType) || !isInRegion(account, regions)) continue;
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
