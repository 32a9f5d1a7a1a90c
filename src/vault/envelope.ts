import { createHmac, randomBytes } from 'node:crypto';
import { type MasterKeys, unwrapWith } from './masterKeys.ts';
import { encrypt, openWith, parseSealed, sealWith } from './sealing.ts';
import { CannotUnseal, type Vault } from './vault.ts';

/** A stored data key: encrypted under the master key and bound to its id and its subject. */
export interface WrappedKey {
  readonly id: string;
  readonly subject: string;
  readonly wrapped: Uint8Array;
}

/** All stored keys of a vault, without the master key. */
export interface WrappedKeys {
  /** The key of digests; undefined when the vault was never opened. */
  readonly installation: Uint8Array | undefined;
  readonly keys: readonly WrappedKey[];
}

/** The cryptography of a vault, independent of where its keys are stored. */
export interface Envelope
  extends Pick<Vault, 'seal' | 'open' | 'hasKey' | 'keyIdOf' | 'digest' | 'digestUnder' | 'deriveKey'> {
  newKey(subject: string): WrappedKey;
  /** Overwrites data keys in memory. */
  wipe(ids: Iterable<string>): void;
  /** Overwrites all keys in memory. */
  close(): void;
}

export interface EnvelopeOptions {
  readonly masters: MasterKeys;
  readonly installation: Buffer;
  /** Returns a stored key by its id; undefined when it does not exist. */
  readonly find: (id: string) => WrappedKey | undefined;
}

/** Creates an envelope. Data keys are unwrapped when they are first needed. */
export function createEnvelope({ masters, installation, find }: EnvelopeOptions): Envelope {
  const unwrapped = new Map<string, Buffer>();

  function unwrapDataKey(id: string): Buffer {
    const cached = unwrapped.get(id);
    if (cached) return cached;
    const stored = find(id);
    if (!stored)
      throw new CannotUnseal(`the data key ${id} does not exist: it was destroyed, or belongs to another vault`, {
        isForgotten: true,
      });
    const key = masters.unwrap(stored.wrapped, bindingOf(stored));
    if (!key) throw new CannotUnseal(`the data key ${id} is damaged`);
    unwrapped.set(id, key);
    return key;
  }

  return {
    newKey(subject) {
      const id = randomBytes(12).toString('base64url');
      const key = randomBytes(32);
      unwrapped.set(id, key);
      return { id, subject, wrapped: encrypt(masters.wrapping, key, bindingOf({ id, subject })) };
    },
    seal: (keyId, plain) => sealWith(keyId, unwrapDataKey(keyId), plain),
    hasKey(id) {
      const stored = unwrapped.has(id) ? undefined : find(id);
      return (
        unwrapped.has(id) || (stored !== undefined && masters.unwrap(stored.wrapped, bindingOf(stored)) !== undefined)
      );
    },
    keyIdOf: (sealed) => parseSealed(sealed).keyId,
    open(sealed) {
      const { keyId, encrypted } = parseSealed(sealed);
      return openWith(keyId, unwrapDataKey(keyId), encrypted);
    },
    digest: (purpose, value) => hmac(installation, purpose, value),
    digestUnder: (keyId, purpose, value) => hmac(unwrapDataKey(keyId), purpose, value),
    deriveKey: (purpose) => masters.derive(purpose),
    wipe(ids) {
      for (const id of ids) {
        unwrapped.get(id)?.fill(0);
        unwrapped.delete(id);
      }
    },
    close() {
      for (const key of [...unwrapped.values(), installation]) key.fill(0);
      masters.close();
      unwrapped.clear();
    },
  };
}

const hmac = (key: Buffer, purpose: string, value: string): string =>
  createHmac('sha256', key).update(`${purpose}\0${value}`).digest('hex');

/** The owner of a wrapped key, which is authenticated with it, so that one key cannot replace another. */
export const bindingOf = ({ id, subject }: Omit<WrappedKey, 'wrapped'>): string => `key ${id} of ${subject}`;

/** The owner of the key of `digest`. */
export const INSTALLATION_BINDING = 'installation';

/** Generates the key of `digest`, wrapped by the master key. */
export const newInstallationKey = (master: Buffer): Buffer => encrypt(master, randomBytes(32), INSTALLATION_BINDING);

/** The key of `digest`; undefined when it was wrapped by another master key. */
export const unwrapInstallationKey = (master: Buffer, wrapped: Uint8Array): Buffer | undefined =>
  unwrapWith(master, wrapped, INSTALLATION_BINDING);
