import type { AccountId } from '../../domain/core/brands.ts';
import type { Faults } from '../../lib/faults.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { CannotUnseal, type Vault } from '../../vault/vault.ts';
import { describeLackingKeys, VaultLacksKeys } from '../../vault/vaultLoss.ts';
import type { Store } from './store.ts';

/** The accounts whose tokens were sealed under a key that the vault does not have. */
export function accountsWithoutKeys(
  { tokens, accounts }: Pick<HotState, 'tokens' | 'accounts'>,
  vault: Pick<Vault, 'keyIdOf' | 'hasKey'>,
): AccountId[] {
  return [...tokens].flatMap(([id, { tokens: sealed }]) => {
    if (!sealed || !accounts.has(id)) return [];
    return hasKeyOf(sealed.refresh, vault) ? [] : [id];
  });
}

function hasKeyOf(sealed: string, vault: Pick<Vault, 'keyIdOf' | 'hasKey'>): boolean {
  try {
    return vault.hasKey(vault.keyIdOf(sealed as Parameters<Vault['keyIdOf']>[0]));
  } catch (error) {
    // Not a sealed value: it is reported when it is used.
    if (error instanceof CannotUnseal) return true;
    throw error;
  }
}

export interface LostKeysOptions {
  readonly hot: { readonly state: HotState };
  readonly store: Pick<Store, 'name' | 'vault'>;
  readonly faults: Faults;
  /** Path of the embedded vault. */
  readonly path: string;
}

/**
 * Finds out at the start whether the vault has the keys of all tokens. In EventStoreDB a key may have been destroyed by
 * another node whose event this node has not folded yet, so there it is a fault and no reason not to start.
 * @throws VaultLacksKeys
 */
export function reportLostKeys({ hot: { state }, store, faults, path }: LostKeysOptions): void {
  const lacking = accountsWithoutKeys(state, store.vault);
  if (lacking.length === 0) return;
  if (store.name === 'embedded') throw new VaultLacksKeys(path, lacking, state.tokens.size);
  faults.raise({
    code: 'vault_keys_missing',
    cause: describeLackingKeys('The vault in EventStoreDB', lacking, state.tokens.size),
    remedy: 'Sign in to these accounts again, or delete them; svc looks again at its next start.',
  });
}
