import { isUsableKey } from './isUsableKey.ts';
import type { Assertion, NewCredential } from './passkeyWire.ts';
import { type Expected, responseProblem } from './responseProblem.ts';

/** Why a response of an authenticator is not accepted: a sentence, with what to do. */
export interface Rejected {
  readonly problem: string;
}

export interface RegisteredKey {
  readonly credentialId: string;
  /** The COSE key in base64url. */
  readonly publicKey: string;
  readonly counter: number;
}

/** EdDSA, ES256 and RS256: what WebAuthn recommends that services accept. Ids of COSE. */
export const ALGORITHMS = [-8, -7, -257];

/** The library loads 25 MB, so it is imported when a passkey is first used. */
const library = async () => ({
  ...(await import('@simplewebauthn/server')),
  ...(await import('@simplewebauthn/server/helpers')),
});

/**
 * Verifies a new passkey. What the authenticator says about its maker is dropped unread: nothing here depends on it, and to verify
 * it means to parse certificates that clients send, and to call the addresses in them.
 */
export async function verifyRegistration(
  credential: NewCredential,
  expected: Expected,
): Promise<RegisteredKey | Rejected> {
  const { verifyRegistrationResponse, decodeAttestationObject, decodeCredentialPublicKey, isoBase64URL, isoCBOR } =
    await library();
  const { clientDataJSON, attestationObject } = credential.response;
  try {
    const authData = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject)).get('authData');
    const problem = responseProblem('webauthn.create', clientDataJSON, authData, expected);
    if (problem !== undefined) return { problem };
    const unattested = new Map<string, string | Uint8Array | Map<string, string>>([
      ['fmt', 'none'],
      ['attStmt', new Map<string, string>()],
      ['authData', authData],
    ]);
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        ...withoutResponse(credential),
        response: { clientDataJSON, attestationObject: isoBase64URL.fromBuffer(isoCBOR.encode(unattested)) },
      },
      ...optionsOf(expected),
      supportedAlgorithmIDs: ALGORITHMS,
    });
    // The id in the authenticator data counts, and browsers send the same one beside it.
    if (!verified || registrationInfo.credential.id !== credential.id) return MALFORMED;
    const { id: credentialId, publicKey, counter } = registrationInfo.credential;
    if (!isUsableKey(decodeCredentialPublicKey(publicKey) as unknown as ReadonlyMap<number, unknown>)) return MALFORMED;
    return { credentialId, publicKey: isoBase64URL.fromBuffer(publicKey), counter };
  } catch {
    return MALFORMED;
  }
}

/** Verifies a signature of a passkey. Its counter is for `passkeyUse`, which knows the uses on all nodes. */
export async function verifyAssertion(
  credential: Assertion,
  { operatorId, publicKey }: { readonly operatorId: string; readonly publicKey: string },
  expected: Expected,
): Promise<{ readonly counter: number } | Rejected> {
  const { verifyAuthenticationResponse, isoBase64URL } = await library();
  const { clientDataJSON, authenticatorData, signature, userHandle } = credential.response;
  if (userHandle && userHandle !== userHandleOf(operatorId)) return { problem: 'the passkey is of another person' };
  const authData = Buffer.from(authenticatorData, 'base64url');
  const problem = responseProblem('webauthn.get', clientDataJSON, authData, expected);
  if (problem !== undefined) return { problem };
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...withoutResponse(credential), response: { clientDataJSON, authenticatorData, signature } },
      ...optionsOf(expected),
      // With 0 the library accepts every counter.
      credential: { id: credential.id, publicKey: isoBase64URL.toBuffer(publicKey), counter: 0 },
    });
    return verified ? { counter: authenticationInfo.newCounter } : { problem: 'the signature of the passkey is wrong' };
  } catch {
    return MALFORMED;
  }
}

/** The id of a person as authenticators store it. */
export const userHandleOf = (operatorId: string): string => Buffer.from(operatorId).toString('base64url');

const MALFORMED: Rejected = {
  problem: 'the response of the passkey is malformed, or of an algorithm that is not supported. Try another passkey',
};

const withoutResponse = ({ id, rawId, type }: Pick<Assertion, 'id' | 'rawId' | 'type'>) => ({
  ...{ id, rawId, type, clientExtensionResults: {} },
});

const optionsOf = ({ challenge, relyingParty: { id, origin } }: Expected) => ({
  expectedChallenge: challenge,
  expectedOrigin: origin,
  expectedRPID: id,
  requireUserVerification: true,
});
