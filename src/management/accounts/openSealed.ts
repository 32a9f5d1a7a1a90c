import type { Account } from '../../domain/account/state.ts';
import type { Sealed } from '../../domain/core/brands.ts';
import { CannotUnseal, type Vault } from '../../vault/vault.ts';

/** Decrypts a sealed text; null when its data key is lost, so that one such account does not hide all others. */
export function openSealed(sealed: Sealed | null, vault: Vault): string | null {
  if (sealed === null) return null;
  try {
    return vault.open(sealed);
  } catch (error) {
    if (error instanceof CannotUnseal) return null;
    throw error;
  }
}

/** Where the e-mail address of an account is unknown, since clients require an address. */
export const UNKNOWN_EMAIL = 'unknown@example.com';

/** The e-mail address of an account, or a placeholder. */
export const emailOf = ({ email }: Account, vault: Vault): string => openSealed(email, vault) ?? UNKNOWN_EMAIL;
