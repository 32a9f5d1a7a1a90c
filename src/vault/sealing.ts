import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Sealed } from '../domain/core/brands.ts';
import { CannotUnseal } from './vault.ts';

// AES-256-GCM with a random 96-bit nonce (NIST SP 800-38D 8.2.2). The owner of a ciphertext is authenticated with it as
// additional data, so a ciphertext cannot be moved elsewhere.

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** @param belongsTo names the owner of the ciphertext @returns nonce, tag and ciphertext */
export function encrypt(key: Buffer, plain: Buffer, belongsTo: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(belongsTo));
  const text = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

/** @throws Error when key, ciphertext or `belongsTo` differ from those of `encrypt` */
export function decrypt(key: Buffer, encrypted: Buffer, belongsTo: string): Buffer {
  const tag = encrypted.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv(CIPHER, key, encrypted.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(belongsTo))
    .setAuthTag(tag);
  return Buffer.concat([decipher.update(encrypted.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
}

const SEALED = /^sealed\.v1\.([\w-]+)\.([\w-]+)$/;
const prefixOf = (keyId: string): string => `sealed.v1.${keyId}`;

/** @returns `sealed.v1.<keyId>.<base64url of nonce, tag and ciphertext>` */
export function sealWith(keyId: string, key: Buffer, plain: string): Sealed {
  return `${prefixOf(keyId)}.${encrypt(key, Buffer.from(plain), prefixOf(keyId)).toString('base64url')}` as Sealed;
}

/** @throws CannotUnseal when the text is not a sealed value */
export function parseSealed(sealed: string): { readonly keyId: string; readonly encrypted: Buffer } {
  const [, keyId, text] = SEALED.exec(sealed) ?? [];
  const encrypted = Buffer.from(text ?? '', 'base64url');
  // Decoding ignores invalid characters, but two different texts must not be the same value.
  if (!keyId || encrypted.toString('base64url') !== text) throw new CannotUnseal('the text is not a sealed value');
  return { keyId, encrypted };
}

/** @throws CannotUnseal when the value was changed, or sealed under another key */
export function openWith(keyId: string, key: Buffer, encrypted: Buffer): string {
  try {
    return decrypt(key, encrypted, prefixOf(keyId)).toString();
  } catch {
    throw new CannotUnseal(`the sealed value was changed, or was not sealed under its key ${keyId}`);
  }
}
