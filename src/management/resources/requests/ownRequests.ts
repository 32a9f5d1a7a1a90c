import type { ApiKeyId } from '../../../domain/core/brands.ts';
import { refuse } from '../../../domain/core/refusal.ts';
import type { RequestLogFilter } from '../../../readModels/requestLogQueries.ts';
import type { HotState } from '../../../state/fold/hotState.ts';
import { isLimitedToOwn, type Principal } from '../../people/principal.ts';

/**
 * The filter of what a principal may see: of a member, the requests that belonged to them when they were made, of the keys that they
 * have now. The keys are in it so that an index finds the requests among all others.
 * @returns undefined when nothing can match
 * @throws Refusal `account_not_found` | `owner_not_found` | `api_key_not_found` when a member names what is not theirs
 */
export function visibleRequests(
  filter: RequestLogFilter,
  principal: Principal | undefined,
  { apiKeys }: Pick<HotState, 'apiKeys'>,
): RequestLogFilter | undefined {
  if (!principal || !isLimitedToOwn(principal)) return filter;
  const { operatorId } = principal;
  const isOwn = (keyId: string) => apiKeys.get(keyId as ApiKeyId)?.owner === operatorId;
  // Accounts are the installation's: they do not exist for members.
  if (filter.accountIds?.length || filter.attemptedAccountIds?.length) refuse('account_not_found');
  if (filter.owners?.some((owner) => owner !== operatorId)) refuse('owner_not_found');
  if (filter.apiKeyIds?.some((keyId) => keyId === null || !isOwn(keyId))) refuse('api_key_not_found');
  const own = [...apiKeys.values()].filter(({ owner }) => owner === operatorId).map(({ id }) => id);
  const apiKeyIds = filter.apiKeyIds?.length ? filter.apiKeyIds : own;
  return apiKeyIds.length === 0 ? undefined : { ...filter, apiKeyIds, owners: [operatorId] };
}

/** An entry as members see it, without the accounts that served it. */
export const withoutAccounts = <
  Entry extends { readonly account_id: string | null; readonly attempted_account_ids: readonly string[] },
>(
  entry: Entry,
): Entry => ({ ...entry, account_id: null, attempted_account_ids: [] });
