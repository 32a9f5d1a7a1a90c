import type { Grouping } from '../../../../projections/figures.ts';
import type { ApiKey } from '../../../domain/apiKey/state.ts';
import type { AccountId, ApiKeyId, TeamId } from '../../../domain/core/brands.ts';
import type { HotState } from '../../../state/fold/hotState.ts';
import type { Vault } from '../../../vault/vault.ts';
import { emailOf } from '../../accounts/openSealed.ts';
import type { Directory } from '../../people/directory.ts';
import { isLimitedToOwn, type Principal } from '../../people/principal.ts';
import { mayUseKey } from '../apiKeys/ownKeys.ts';

const NONE: Readonly<Record<Grouping, string>> = {
  key: 'No API key',
  owner: 'No owner',
  team: 'No team',
  account: 'No account',
  model: 'No model',
  effort: 'No reasoning effort',
  status: 'No status',
  error: 'No error',
  client: 'Unknown client',
  transport: 'HTTP',
};

/**
 * @param directory the names of the same state
 * @returns a function that names the groups of a breakdown as people know them; what was deleted is named by its id
 */
export function createLabels(
  { apiKeys, accounts, teams }: Pick<HotState, 'apiKeys' | 'accounts' | 'teams'>,
  vault: Vault,
  directory: Pick<Directory, 'nameOf'>,
  principal: Principal | undefined,
): (by: Grouping, id: string | null) => string {
  // A key that a member had may belong to another person now, who gave it another name.
  const isOthers = (key: ApiKey) => principal && isLimitedToOwn(principal) && !mayUseKey(principal, key);
  const keyName = (key: ApiKey | undefined) => (key && !isOthers(key) ? key.name : undefined);
  return (by, id) => {
    if (id === null) return NONE[by];
    switch (by) {
      case 'key':
        return keyName(apiKeys.get(id as ApiKeyId)) ?? id;
      case 'account': {
        const account = accounts.get(id as AccountId);
        return (account && emailOf(account, vault)) ?? id;
      }
      case 'team':
        return teams.get(id as TeamId)?.name ?? id;
      case 'owner':
        return directory.nameOf(id) ?? id;
      default:
        return id;
    }
  };
}
