import type { AccountId, Sealed } from '../../domain/core/brands.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import type { Vault } from '../../vault/vault.ts';

/** @returns the ids of the data keys that an account as it is now is sealed under; none for an account that does not exist */
export function keysInUse(
  { accounts, tokens }: Pick<HotState, 'accounts' | 'tokens'>,
  accountId: AccountId,
  vault: Pick<Vault, 'keyIdOf'>,
): Set<string> {
  const account = accounts.get(accountId);
  if (!account) return new Set();
  const { email, displayName, proxy, upstreamAccountId } = account;
  const { access, refresh, idToken } = tokens.get(accountId)?.tokens ?? {};
  const values = [email, displayName, proxy, upstreamAccountId, access, refresh, idToken];
  const isSealed = (value: string | null | undefined): value is Sealed => value?.startsWith('sealed.') ?? false;
  return new Set(values.filter(isSealed).map((value) => vault.keyIdOf(value)));
}
