import type { AccountId } from '../../domain/core/brands.ts';
import { subjects } from '../../state/fold/subjects.ts';
import type { HotRunner } from '../../state/hotRunner.ts';
import { destroyEarlierKeys, type EarlierKeysOptions } from './destroyEarlierKeys.ts';

/**
 * Destroys the data keys of all deleted accounts that no legal hold keeps, also of those that were imported again. Runs at start, before the first import: such keys remain if the process
 * died between deletion and destruction or between the end of a hold and destruction, or if the vault was restored from a backup.
 */
export async function destroyKeysOfDeletedAccounts(
  options: EarlierKeysOptions & { readonly hot: Pick<HotRunner, 'state'> },
): Promise<void> {
  const { hot, vault } = options;
  // Read once: a look-up for each of 20,000 accounts took minutes.
  const count = new Map<string, number>();
  for (const { subject } of vault.keysOf('')) count.set(subject, (count.get(subject) ?? 0) + 1);
  /** The usual account, which was never deleted. */
  const isUsual = (accountId: AccountId) => hot.state.accounts.has(accountId) && (count.get(accountId) ?? 0) < 2;
  const prefix = subjects.account.streamOf('' as AccountId);
  for (const stream of hot.state.revisions.keys()) {
    if (!stream.startsWith(prefix)) continue;
    const accountId = stream.slice(prefix.length) as AccountId;
    if (isUsual(accountId) || hot.state.holds.retained.has(accountId)) continue;
    await destroyEarlierKeys(options, accountId);
  }
}
