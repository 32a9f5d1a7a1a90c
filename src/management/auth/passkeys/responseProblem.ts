import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { RelyingParty } from './relyingParty.ts';

/** What a response of an authenticator must answer. */
export interface Expected {
  /** In base64url. */
  readonly challenge: string;
  readonly relyingParty: RelyingParty;
}

const ClientData = z.object({
  type: z.string(),
  challenge: z.string(),
  origin: z.string(),
  crossOrigin: z.boolean().optional(),
});
const RP_ID_HASH_BYTES = 32;
const USER_VERIFIED = 0x04;

/**
 * Says in words for people what does not fit in a response, before the library verifies all of it again and more.
 * @param authenticatorData begins with the hash of the relying party's id and the flags (W3C WebAuthn)
 * @returns undefined when nothing is found
 */
export function responseProblem(
  type: 'webauthn.create' | 'webauthn.get',
  clientDataJson: string,
  authenticatorData: Uint8Array,
  { challenge, relyingParty: { id, origin } }: Expected,
): string | undefined {
  const { data } = ClientData.safeParse(parseJson(Buffer.from(clientDataJson, 'base64url').toString()));
  if (!data) return 'the client data of the passkey is malformed. Try again';
  if (data.origin !== origin) {
    return `the passkey was used on ${data.origin}, and only ${origin} may use it. Open the dashboard there`;
  }
  if (data.crossOrigin) return 'the passkey was used within a page of another origin. Open the dashboard itself';
  if (data.type !== type) return 'the response of the passkey was made for another purpose. Try again';
  if (data.challenge !== challenge) return 'the response of the passkey answers another challenge. Try again';
  const hash = createHash('sha256').update(id).digest();
  if (!hash.equals(authenticatorData.subarray(0, RP_ID_HASH_BYTES)))
    return `the passkey is for another host than ${id}`;
  if (((authenticatorData[RP_ID_HASH_BYTES] ?? 0) & USER_VERIFIED) === 0) {
    return 'the authenticator did not verify its user. Set up a PIN, fingerprint or face for it';
  }
  return undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
