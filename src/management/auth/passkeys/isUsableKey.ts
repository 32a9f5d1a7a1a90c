import { createPublicKey } from 'node:crypto';

const [KTY, CRV, X, Y] = [1, -1, -2, -3];
const [N, E] = [-1, -2];
const [OKP, EC2] = [1, 2];

/**
 * Whether a COSE key (RFC 9053) is one that can verify signatures: a passkey whose key is none could be registered and never used.
 * @param key of an algorithm that is supported
 */
export function isUsableKey(key: ReadonlyMap<number, unknown>): boolean {
  const text = (label: number) => Buffer.from(key.get(label) as Uint8Array).toString('base64url');
  try {
    createPublicKey({ key: jwkOf(key, text), format: 'jwk' });
    return true;
  } catch {
    return false;
  }
}

function jwkOf(key: ReadonlyMap<number, unknown>, text: (label: number) => string) {
  switch (key.get(KTY)) {
    case OKP:
      return { kty: 'OKP', crv: key.get(CRV) === 6 ? 'Ed25519' : '', x: text(X) };
    case EC2:
      return { kty: 'EC', crv: key.get(CRV) === 1 ? 'P-256' : '', x: text(X), y: text(Y) };
    default:
      return { kty: 'RSA', n: text(N), e: text(E) };
  }
}
