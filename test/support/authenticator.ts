import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

// A WebAuthn authenticator in software, after W3C WebAuthn Level 3: real keys, CBOR, COSE and signatures. Tests change
// what it sends to attack the service.

type Cbor = number | string | Uint8Array | Map<number | string, Cbor> | readonly Cbor[];

const bytesOf = (value: number, length: number): Buffer => {
  const bytes = Buffer.alloc(length);
  bytes.writeUIntBE(value, 0, length);
  return bytes;
};

function head(major: number, value: number): Buffer {
  if (value < 24) return bytesOf((major << 5) | value, 1);
  if (value < 0x1_00) return Buffer.concat([bytesOf((major << 5) | 24, 1), bytesOf(value, 1)]);
  if (value < 0x1_00_00) return Buffer.concat([bytesOf((major << 5) | 25, 1), bytesOf(value, 2)]);
  return Buffer.concat([bytesOf((major << 5) | 26, 1), bytesOf(value, 4)]);
}

/** Encodes CBOR (RFC 8949) with definite lengths. */
export function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (value instanceof Map) {
    return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, item]) => [cbor(key), cbor(item)])]);
  }
  return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
}

export type Algorithm = 'ES256' | 'EdDSA' | 'RS256';

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: Uint8Array | string): Buffer => createHash('sha256').update(bytes).digest();
const ofJwk = (value: string | undefined): Buffer => Buffer.from(value ?? '', 'base64url');

function newKey(algorithm: Algorithm): { privateKey: KeyObject; cose: Map<number, Cbor> } {
  if (algorithm === 'RS256') {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const { n, e } = publicKey.export({ format: 'jwk' });
    return {
      privateKey,
      cose: new Map<number, Cbor>([
        [1, 3],
        [3, -257],
        [-1, ofJwk(n)],
        [-2, ofJwk(e)],
      ]),
    };
  }
  if (algorithm === 'EdDSA') {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const { x } = publicKey.export({ format: 'jwk' });
    return {
      privateKey,
      cose: new Map<number, Cbor>([
        [1, 1],
        [3, -8],
        [-1, 6],
        [-2, ofJwk(x)],
      ]),
    };
  }
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y } = publicKey.export({ format: 'jwk' });
  return {
    privateKey,
    cose: new Map<number, Cbor>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, ofJwk(x)],
      [-3, ofJwk(y)],
    ]),
  };
}

/** What a test changes of a response. */
export interface Changes {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly type?: string;
  readonly crossOrigin?: boolean;
  readonly isUserVerified?: boolean;
  readonly isUserPresent?: boolean;
  readonly counter?: number;
  /** Signs with another key. */
  readonly privateKey?: KeyObject;
  readonly userHandle?: string | null;
  /** Replaces the credential id that is sent beside the signed data. */
  readonly id?: string;
  /** The attestation format and statement. */
  readonly attestation?: readonly [string, Map<string, Cbor>];
  readonly cose?: Map<number, Cbor>;
  /** Appended to the authenticator data. */
  readonly surplus?: Uint8Array;
}

interface CreationOptions {
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
  readonly challenge: string;
}
interface RequestOptions {
  readonly rpId: string;
  readonly challenge: string;
}

const FLAGS = { userPresent: 0x01, userVerified: 0x04, attested: 0x40 };

/** An authenticator with one credential. @param counts whether it counts its signatures; otherwise it sends 0 */
export function newAuthenticator({
  algorithm = 'ES256',
  origin = 'https://svc.example',
  counts = false,
  credentialId = randomBytes(32),
}: {
  algorithm?: Algorithm;
  origin?: string;
  counts?: boolean;
  credentialId?: Buffer;
} = {}) {
  const { privateKey, cose } = newKey(algorithm);
  let counter = 0;
  let userHandle: string | undefined;

  const clientData = (type: string, challenge: string, changes: Changes): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: changes.type ?? type,
        challenge: changes.challenge ?? challenge,
        origin: changes.origin ?? origin,
        crossOrigin: changes.crossOrigin ?? false,
      }),
    );

  function authenticatorData(rpId: string, flags: number, attested: Buffer, changes: Changes): Buffer {
    if (counts) counter++;
    const { isUserVerified = true, isUserPresent = true, surplus = Buffer.alloc(0) } = changes;
    const present = isUserPresent ? FLAGS.userPresent : 0;
    const verified = isUserVerified ? FLAGS.userVerified : 0;
    const count = bytesOf(changes.counter ?? counter, 4);
    return Buffer.concat([
      sha256(changes.rpId ?? rpId),
      ...[bytesOf(flags | present | verified, 1), count, attested, surplus],
    ]);
  }

  return {
    credentialId: base64url(credentialId),
    privateKey,
    /** `navigator.credentials.create`, as JSON. */
    create({ rp, user, challenge }: CreationOptions, changes: Changes = {}) {
      userHandle = user.id;
      const key = cbor(changes.cose ?? cose);
      const attested = Buffer.concat([Buffer.alloc(16), bytesOf(credentialId.length, 2), credentialId, key]);
      const authData = authenticatorData(rp.id, FLAGS.attested, attested, changes);
      const [fmt, attStmt] = changes.attestation ?? ['none', new Map<string, Cbor>()];
      const id = changes.id ?? base64url(credentialId);
      return {
        ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {}, authenticatorAttachment: 'platform' },
        response: {
          clientDataJSON: base64url(clientData('webauthn.create', challenge, changes)),
          attestationObject: base64url(
            cbor(
              new Map<string, Cbor>([
                ['fmt', fmt],
                ['attStmt', attStmt],
                ['authData', authData],
              ]),
            ),
          ),
          transports: ['internal', 'hybrid', 'unknown'],
        },
      };
    },
    /** `navigator.credentials.get`, as JSON. */
    get({ rpId, challenge }: RequestOptions, changes: Changes = {}) {
      const data = clientData('webauthn.get', challenge, changes);
      const authData = authenticatorData(rpId, 0, Buffer.alloc(0), changes);
      const hash = algorithm === 'EdDSA' ? null : 'sha256';
      const signature = sign(hash, Buffer.concat([authData, sha256(data)]), changes.privateKey ?? privateKey);
      const id = changes.id ?? base64url(credentialId);
      return {
        ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {}, authenticatorAttachment: 'platform' },
        response: {
          clientDataJSON: base64url(data),
          authenticatorData: base64url(authData),
          signature: base64url(signature),
          userHandle: changes.userHandle === undefined ? userHandle : changes.userHandle,
        },
      };
    },
  };
}

export type Authenticator = ReturnType<typeof newAuthenticator>;
