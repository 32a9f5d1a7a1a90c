import type { AccountId } from '../../domain/core/brands.ts';
import { subjects } from '../../state/fold/subjects.ts';
import type { HotRunner } from '../../state/hotRunner.ts';
import type { Vault } from '../../vault/vault.ts';

/**
 * Destroys the data keys of all deleted accounts that no legal hold keeps. Runs at start, before the first import: such keys remain if the process
 * died between deletion and destruction or between the end of a hold and destruction, or if the vault was restored from a backup.
 */
export async function destroyKeysOfDeletedAccounts({ hot, vault }: { hot: HotRunner; vault: Vault }): Promise<void> {
  const prefix = subjects.account.streamOf('' as AccountId);
  for (const stream of hot.state.revisions.keys()) {
    if (!stream.startsWith(prefix)) continue;
    const accountId = stream.slice(prefix.length) as AccountId;
    const { accounts, holds } = hot.state;
    if (!accounts.has(accountId) && !holds.retained.has(accountId)) await vault.destroy(accountId);
  }
}
