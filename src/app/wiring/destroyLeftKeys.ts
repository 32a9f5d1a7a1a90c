import { destroyKeysOfDeletedAccounts } from '../../management/accounts/destroyKeysOfDeletedAccounts.ts';
import { destroyKeysOfRemovedWebhooks } from '../../management/accounts/destroyKeysOfRemovedWebhooks.ts';
import { destroyKeysOfAllDisabledTotp } from '../../management/auth/totpKeys.ts';
import type { Foundation } from './foundation.ts';

/** Destroys the data keys that an interrupted deletion left in the vault. Called before anything can be imported. */
export async function destroyLeftKeys({ store, hot }: Pick<Foundation, 'store' | 'hot'>): Promise<void> {
  const { log, vault } = store;
  await store.retryWhileUnavailable(() => destroyKeysOfDeletedAccounts({ hot, vault, log }));
  await store.retryWhileUnavailable(() => destroyKeysOfAllDisabledTotp({ log, vault }));
  await store.retryWhileUnavailable(() => destroyKeysOfRemovedWebhooks({ log, vault }));
}
