import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { Buffer as BrowserBuffer } from './buffer.ts';

// What svc's own code uses of node:crypto, for the browser. WebCrypto has promises only, one for each of the millions of hashes of
// a tree; the page uses it for whole files and signatures (../webCrypto.ts).

const utf8 = new TextEncoder();

export function hash(algorithm: string, data: string | Uint8Array, encoding: 'hex' | 'binary' | 'latin1'): string {
  if (algorithm !== 'sha256') throw new Error(`${algorithm} is not in this page`);
  const digest = sha256(typeof data === 'string' ? utf8.encode(data) : data);
  return BrowserBuffer.from(digest).toString(encoding);
}

/** A public key as `createPublicKey` is called for: a JSON Web Key. */
export const createPublicKey = ({ key }: { readonly key: { readonly x: string } }) => ({
  publicKey: BrowserBuffer.from(key.x, 'base64url'),
});

/** By the rules of RFC 8032. */
export function verify(
  _algorithm: null,
  text: Uint8Array,
  { publicKey }: { readonly publicKey: Uint8Array },
  signature: Uint8Array,
): boolean {
  try {
    return ed25519.verify(signature, text, publicKey, { zip215: false });
  } catch {
    return false;
  }
}

const notHere = () => {
  throw new Error('This page signs nothing.');
};
export const createPrivateKey = notHere;
export const sign = notHere;
