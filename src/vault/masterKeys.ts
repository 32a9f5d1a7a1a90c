import { deriveKey } from './masterKey.ts';
import { decrypt } from './sealing.ts';

/**
 * The master key of a vault and, while it is being rotated, the next one. What either has wrapped is opened; new keys are wrapped by
 * the next one as soon as something was seen that it has wrapped, so that a node which knows the present key only is not cut off
 * before the rotation begins.
 */
export class MasterKeys {
  readonly #present: Buffer;
  readonly #next: Buffer | undefined;
  #wrapping: Buffer;

  /** The buffers belong to this object, which overwrites them in the end. */
  constructor(present: Buffer, next?: Buffer) {
    this.#present = present;
    this.#next = next;
    this.#wrapping = present;
  }

  /** The key that wraps new ones. */
  get wrapping(): Buffer {
    return this.#wrapping;
  }

  /** @returns undefined when neither key has wrapped it for this owner */
  unwrap(wrapped: Uint8Array, belongsTo: string): Buffer | undefined {
    const byPresent = unwrapWith(this.#present, wrapped, belongsTo);
    if (byPresent || !this.#next) return byPresent;
    const byNext = unwrapWith(this.#next, wrapped, belongsTo);
    if (byNext) this.#wrapping = this.#next;
    return byNext;
  }

  /** A key for one purpose; another one once the rotation has begun. */
  derive(purpose: string): Buffer {
    return deriveKey(this.#wrapping, purpose);
  }

  /** Overwrites the keys in memory. */
  close(): void {
    this.#present.fill(0);
    this.#next?.fill(0);
  }
}

/** @returns undefined when the key has not wrapped it for this owner */
export function unwrapWith(key: Buffer, wrapped: Uint8Array, belongsTo: string): Buffer | undefined {
  try {
    return decrypt(key, Buffer.from(wrapped), belongsTo);
  } catch {
    return undefined;
  }
}
