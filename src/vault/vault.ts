import type { Sealed } from '../domain/core/brands.ts';

/** A value cannot be opened: its data key was destroyed (the subject was deleted), or the text is not ours. */
export class CannotOpen extends Error {
  override readonly name = 'CannotOpen';
}

/**
 * Envelope encryption: each subject has a data key of its own, wrapped by the master key and kept beside the log, never
 * in it. Destroying the data key makes everything sealed under it unreadable, wherever copies of it lie.
 */
export interface Vault {
  /**
   * Makes a new data key for a subject, durable before it resolves; what was sealed under earlier ones stays readable
   * until `destroy`. @returns the id of the key, for `seal`
   */
  createKey(subject: string): Promise<string>;
  /** Encrypts under a data key. @throws CannotOpen when that key does not exist */
  seal(keyId: string, plain: string): Sealed;
  /** The id of the data key a value was sealed under. */
  keyIdOf(sealed: Sealed): string;
  /** @throws CannotOpen */
  open(sealed: Sealed): string;
  /** Destroys all data keys of a subject; doing it twice does no harm. Durable when it resolves. */
  destroy(subject: string): Promise<void>;
  /** HMAC-SHA256 under this installation's own key, in hex: recognises a value without keeping it. */
  digest(purpose: string, value: string): string;
  close(): void;
}
