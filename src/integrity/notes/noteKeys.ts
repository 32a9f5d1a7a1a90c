import { createPrivateKey, createPublicKey, hash as digest, type KeyObject, sign, verify } from 'node:crypto';
import { decodeBase64 } from './base64.ts';

/** Text is not a valid note, key, checkpoint or proof, or its signature does not hold; the message says why. */
export class NoteError extends Error {
  override readonly name = 'NoteError';
}

/** Ed25519 over the text of the note (https://c2sp.org/signed-note#signature-types). */
export const ED25519 = 1;
/** Ed25519 of a witness, with a time (https://c2sp.org/tlog-cosignature). */
export const COSIGNATURE = 4;

const KEY_BYTES = 32;

/** A public key under a name; `vkey` is its text, `name+id+base64(type, key)`. */
export interface VerifierKey {
  readonly name: string;
  /** Eight hex digits. */
  readonly id: string;
  readonly type: typeof ED25519 | typeof COSIGNATURE;
  /** 32 bytes. */
  readonly publicKey: Buffer;
  readonly vkey: string;
}

/** A key name is not empty and contains neither Unicode spaces nor "+" (https://c2sp.org/signed-note#format). */
export const isKeyName = (name: string): boolean => name !== '' && name.isWellFormed() && !/[\s\p{Cc}+]/u.test(name);

/** The first four bytes of `SHA-256(name, newline, type, public key)` in hex. */
function keyId(name: string, type: number, publicKey: Buffer): string {
  const bytes = Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(type), publicKey]);
  return digest('sha256', bytes, 'hex').slice(0, 8);
}

/** @throws NoteError for a name that no key can have */
export function verifierKey(name: string, publicKey: Buffer, type: VerifierKey['type'] = ED25519): VerifierKey {
  if (!isKeyName(name)) throw new NoteError(`"${name}" is not a key name: it is empty, or has a space or a plus sign`);
  if (publicKey.length !== KEY_BYTES)
    throw new NoteError(`an Ed25519 key has ${KEY_BYTES} bytes, not ${publicKey.length}`);
  const id = keyId(name, type, publicKey);
  const encoded = Buffer.concat([Buffer.of(type), publicKey]).toString('base64');
  return { name, id, type, publicKey, vkey: `${name}+${id}+${encoded}` };
}

/** Reads a key of the form `name+id+base64`. @throws NoteError when it is malformed, or its id is that of another key */
export function parseVkey(vkey: string): VerifierKey {
  const [, name = '', id = '', encoded = ''] = /^([^+]*)\+([0-9a-f]{8})\+(.*)$/s.exec(vkey) ?? [];
  if (id === '') throw new NoteError('it is not a verifier key: expected name+id+key');
  const bytes = decodeBase64(encoded);
  const type = bytes?.[0];
  if (!bytes || (type !== ED25519 && type !== COSIGNATURE)) {
    throw new NoteError('it is not a verifier key: its key is not one of Ed25519 in base64');
  }
  const key = verifierKey(name, bytes.subarray(1), type);
  if (key.id !== id)
    throw new NoteError(`the id of the verifier key is ${id}, but that of its name and key is ${key.id}`);
  return key;
}

/** A key object of Node for a raw public key. */
const keyObjectOf = (publicKey: Buffer): KeyObject =>
  createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') }, format: 'jwk' });

/** Whether the signature of this text, 64 bytes, is one of this raw public key. */
export const isSignedBy = (publicKey: Buffer, text: Buffer, signature: Buffer): boolean =>
  signature.length === 64 && verify(null, text, keyObjectOf(publicKey), signature);

/** A private key of Ed25519. */
export interface SigningKey {
  /** 32 bytes. */
  readonly publicKey: Buffer;
  sign(text: Buffer): Buffer;
}

/** PKCS #8 of an Ed25519 key before its 32 bytes (RFC 8410, section 7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** @param seed the 32 bytes of an Ed25519 private key (RFC 8032) */
export const signingKeyOf = (seed: Buffer): SigningKey =>
  signingKeyOfObject(createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' }));

/** @throws NoteError when it is not a private key of Ed25519 */
export function signingKeyOfObject(privateKey: KeyObject): SigningKey {
  if (privateKey.type !== 'private' || privateKey.asymmetricKeyType !== 'ed25519') {
    throw new NoteError('it is not a private key of Ed25519');
  }
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  return { publicKey: Buffer.from(x, 'base64url'), sign: (text) => sign(null, text, privateKey) };
}
