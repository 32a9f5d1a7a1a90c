import type { Sealed } from '../domain/core/brands.ts';

/** A sealed value cannot be opened: its data key was destroyed with its subject, or the text is not a sealed value. */
export class CannotUnseal extends Error {
  override readonly name = 'CannotUnseal';
  /** Whether the data key does not exist: it was destroyed with its subject, or is lost. */
  readonly isForgotten: boolean;

  constructor(message?: string, { isForgotten = false } = {}) {
    super(message);
    this.isForgotten = isForgotten;
  }
}

/** Names a data key. */
export interface DataKey {
  readonly id: string;
  readonly subject: string;
}

/**
 * Port for envelope encryption (docs/decisions/0010-vault.md). Each subject has data keys of its own, wrapped by the master
 * key and stored beside the log, never in it. Destroying the data keys makes every copy of what they sealed unreadable.
 */
export interface Vault {
  /**
   * Creates a data key for a subject, durable when it resolves. Values sealed under earlier keys stay readable until
   * `destroy`. @returns the id of the key, for `seal`
   */
  createKey(subject: string): Promise<string>;
  /** The id of the newest data key of a subject; undefined when it has none. */
  currentKeyOf(subject: string): string | undefined;
  /** All data keys of the subjects whose names begin with a prefix. */
  keysOf(subjectPrefix: string): readonly DataKey[];
  /** Encrypts under a data key. @throws CannotUnseal when that key does not exist */
  seal(keyId: string, plain: string): Sealed;
  /** Whether the vault has a data key and can decrypt it. */
  hasKey(keyId: string): boolean;
  /** Id of the data key that a value was sealed under. */
  keyIdOf(sealed: Sealed): string;
  /** @throws CannotUnseal */
  open(sealed: Sealed): string;
  /**
   * Destroys all data keys of a subject, durable when it resolves. Idempotent.
   * @param except ids of keys that stay
   */
  destroy(subject: string, except?: ReadonlySet<string>): Promise<void>;
  /** HMAC-SHA256 under the installation's own key, in hex, to recognise a value without storing it. */
  digest(purpose: string, value: string): string;
  /** HMAC-SHA256 under a data key, in hex: without that key it means nothing. @throws CannotUnseal when it does not exist */
  digestUnder(keyId: string, purpose: string, value: string): string;
  /** A key of 32 bytes for one purpose, derived from the master key: the same at every start and on every node. */
  deriveKey(purpose: string): Buffer;
  close(): void;
}
