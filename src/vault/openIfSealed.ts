import type { Sealed } from '../domain/core/brands.ts';
import { CannotUnseal, type Vault } from './vault.ts';

export const isSealed = (text: string): text is Sealed => text.startsWith('sealed.');

/**
 * A text as an event recorded it: sealed, or in plain by earlier versions.
 * @returns null when it is unknown, or when its data key is lost or was destroyed
 */
export function openIfSealed(recorded: string | null, vault: Pick<Vault, 'open'>): string | null {
  if (recorded === null || !isSealed(recorded)) return recorded;
  try {
    return vault.open(recorded);
  } catch (error) {
    if (error instanceof CannotUnseal) return null;
    throw error;
  }
}
