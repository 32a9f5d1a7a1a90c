import { AccountDeleted } from '../../domain/account/events.ts';
import type { AccountId, Sealed } from '../../domain/core/brands.ts';
import type { EventLog } from '../../eventLog/eventLog.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { subjects } from '../../state/fold/subjects.ts';
import type { Vault } from '../../vault/vault.ts';

export interface EarlierKeysOptions {
  readonly hot: { readonly state: Pick<HotState, 'accounts'> };
  readonly vault: Pick<Vault, 'destroy' | 'keyIdOf' | 'keysOf'>;
  readonly log: Pick<EventLog, 'readStream'>;
}

/**
 * Destroys the data keys of an account that was deleted. If it was imported again, those of its present life stay: also the ones that
 * only earlier values of it are sealed under, and one that another node creates at this moment.
 */
export async function destroyEarlierKeys({ hot, vault, log }: EarlierKeysOptions, accountId: AccountId): Promise<void> {
  if (!hot.state.accounts.has(accountId)) return vault.destroy(accountId);
  const keys = vault.keysOf(accountId).filter(({ subject }) => subject === accountId);
  // The usual account was never deleted, and its stream may be long.
  if (keys.length < 2) return;
  const earlier = await keysBeforeDeletion(log, vault, accountId);
  const except = keys.filter(({ id }) => !earlier.has(id)).map(({ id }) => id);
  if (except.length < keys.length) await vault.destroy(accountId, new Set(except));
}

const SEALED = /"(sealed\.[^"]+)"/g;

/** The ids of the keys that the events before the last deletion are sealed under. */
async function keysBeforeDeletion(
  log: Pick<EventLog, 'readStream'>,
  vault: Pick<Vault, 'keyIdOf'>,
  accountId: AccountId,
): Promise<ReadonlySet<string>> {
  const earlier = new Set<string>();
  let present = new Set<string>();
  for await (const { type, data } of log.readStream(subjects.account.streamOf(accountId))) {
    for (const [, sealed] of JSON.stringify(data).matchAll(SEALED)) present.add(vault.keyIdOf(sealed as Sealed));
    if (type !== AccountDeleted.type) continue;
    for (const id of present) earlier.add(id);
    present = new Set();
  }
  return earlier;
}
