import { createHmac, randomBytes } from 'node:crypto';
import { decrypt, encrypt, openWith, parseSealed, sealWith } from './sealing.ts';
import { CannotOpen, type Vault } from './vault.ts';

/** A data key as it is kept: encrypted under the master key, bound to its id and its subject. */
export interface WrappedKey {
  readonly id: string;
  readonly subject: string;
  readonly wrapped: Uint8Array;
}

/** All keys of a vault as they are kept; the master key is not among them. */
export interface WrappedKeys {
  /** The key of digests; undefined when nobody ever opened the vault. */
  readonly installation: Uint8Array | undefined;
  readonly keys: readonly WrappedKey[];
}

/** What every vault does with its keys, wherever they are kept. */
export interface Envelope extends Pick<Vault, 'seal' | 'open' | 'keyIdOf' | 'digest'> {
  newKey(subject: string): WrappedKey;
  /** Wipes data keys from memory. */
  forget(ids: Iterable<string>): void;
  /** Wipes everything. */
  close(): void;
}

export interface EnvelopeOptions {
  readonly master: Buffer;
  readonly installation: Buffer;
  /** The key of this id; undefined when it was destroyed or never was. */
  readonly find: (id: string) => WrappedKey | undefined;
}

/** Seals and opens under data keys, each unwrapped when it is first needed. */
export function createEnvelope({ master, installation, find }: EnvelopeOptions): Envelope {
  const unwrapped = new Map<string, Buffer>();

  function dataKey(id: string): Buffer {
    const known = unwrapped.get(id);
    if (known) return known;
    const kept = find(id);
    if (!kept) throw new CannotOpen(`the data key ${id} does not exist: it was destroyed, or belongs to another vault`);
    const key = unwrap(master, kept.wrapped, placeOf(kept));
    if (!key) throw new CannotOpen(`the data key ${id} is damaged`);
    unwrapped.set(id, key);
    return key;
  }

  return {
    newKey(subject) {
      const id = randomBytes(12).toString('base64url');
      const key = randomBytes(32);
      unwrapped.set(id, key);
      return { id, subject, wrapped: encrypt(master, key, placeOf({ id, subject })) };
    },
    seal: (keyId, plain) => sealWith(keyId, dataKey(keyId), plain),
    keyIdOf: (sealed) => parseSealed(sealed).keyId,
    open(sealed) {
      const { keyId, encrypted } = parseSealed(sealed);
      return openWith(keyId, dataKey(keyId), encrypted);
    },
    digest: (purpose, value) => createHmac('sha256', installation).update(`${purpose}\0${value}`).digest('hex'),
    forget(ids) {
      for (const id of ids) {
        unwrapped.get(id)?.fill(0);
        unwrapped.delete(id);
      }
    },
    close() {
      for (const key of [...unwrapped.values(), installation, master]) key.fill(0);
      unwrapped.clear();
    },
  };
}

/** What a wrapped key is bound to: one cannot stand in for another. */
const placeOf = ({ id, subject }: Omit<WrappedKey, 'wrapped'>): string => `key ${id} of ${subject}`;

const INSTALLATION = 'installation';

export const newInstallationKey = (master: Buffer): Buffer => encrypt(master, randomBytes(32), INSTALLATION);

/** The key of `digest`; undefined when it was made under another master key. */
export const unwrapInstallationKey = (master: Buffer, wrapped: Uint8Array): Buffer | undefined =>
  unwrap(master, wrapped, INSTALLATION);

function unwrap(master: Buffer, wrapped: Uint8Array, belongsTo: string): Buffer | undefined {
  try {
    return decrypt(master, Buffer.from(wrapped), belongsTo);
  } catch {
    return undefined;
  }
}
