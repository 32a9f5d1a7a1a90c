import type { AccountId } from '../../domain/core/brands.ts';
import type { KeyedMutex } from '../../lib/keyedMutex.ts';
import type { HotRunner } from '../../state/hotRunner.ts';
import { destroyEarlierKeys, type EarlierKeysOptions } from './destroyEarlierKeys.ts';
import { accountKeysMutex } from './sealAccount.ts';

export interface RetainedKeysOptions extends EarlierKeysOptions {
  readonly hot: Pick<HotRunner, 'state' | 'onFolded'>;
  readonly mutex: KeyedMutex;
  readonly report: (error: unknown) => void;
}

/** The data keys of accounts that were deleted under a legal hold. */
export interface RetainedKeys {
  /** Resolves when the keys are destroyed that no hold keeps any more, or when that has failed. */
  settled(): Promise<void>;
}

/**
 * Destroys the data keys of deleted accounts when the last hold on them ends, whichever node lifts it. What this node cannot destroy
 * is destroyed at the next start (`destroyKeysOfDeletedAccounts`).
 */
export function createRetainedKeys({ hot, vault, log, mutex, report }: RetainedKeysOptions): RetainedKeys {
  let { retained } = hot.state.holds;
  let work: Promise<unknown> = Promise.resolve();

  const destroy = (accountId: AccountId): Promise<void> =>
    mutex(accountKeysMutex(accountId), async () => {
      // It was deleted and is held again meanwhile.
      if (hot.state.holds.retained.has(accountId)) return;
      await destroyEarlierKeys({ hot, vault, log }, accountId);
    }).catch(report);

  hot.onFolded(() => {
    if (hot.state.holds.retained === retained) return;
    const before = retained;
    retained = hot.state.holds.retained;
    const released = [...before.keys()].filter((accountId) => !retained.has(accountId));
    if (released.length > 0) work = Promise.all([work, ...released.map(destroy)]);
  });
  return {
    async settled() {
      await work;
    },
  };
}
