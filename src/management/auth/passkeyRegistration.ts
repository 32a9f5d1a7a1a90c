import { refuse } from '../../domain/core/refusal.ts';
import type { NewPasskey } from '../../domain/operator/decidePasskey.ts';
import type { Operator } from '../../domain/operator/state.ts';

import type { Capabilities } from '../http/capabilities.ts';
import { dataKeyOf } from '../people/directory.ts';
import { CHALLENGE_MS, type ChallengeKind, type Challenges } from './passkeyChallenges.ts';
import { descriptorsOf, digestOfCredential, TRANSPORTS } from './passkeys/credentials.ts';
import type { RegisterPasskey } from './passkeys/passkeyWire.ts';
import { type NoRelyingParty, type RelyingParty, requireRelyingParty } from './passkeys/relyingParty.ts';
import { ALGORITHMS, userHandleOf, verifyRegistration } from './passkeys/webAuthn.ts';

interface RegistrationOptions extends Pick<Capabilities, 'vault' | 'directory'> {
  readonly challenges: Challenges;
  readonly relyingParty: RelyingParty | NoRelyingParty;
}

type Purpose = Extract<ChallengeKind, 'registration' | 'invitation'>;

/** Registers passkeys in two steps. `boundTo`: the session or invitation that both belong to. */
export function createPasskeyRegistration({ vault, directory, challenges, relyingParty }: RegistrationOptions) {
  return {
    /** @throws Refusal `passkeys_unavailable` */
    start(operator: Operator, purpose: Purpose, boundTo: string) {
      const rp = requireRelyingParty(relyingParty);
      const { challenge, token } = challenges.start(purpose, boundTo);
      const { id, name, email } = operator;
      const displayName = directory.open(name) ?? '';
      return {
        challengeToken: token,
        publicKey: {
          rp: { id: rp.id, name: 'svc' },
          // Authenticators show the names, and store one passkey for each id.
          user: { id: userHandleOf(id), name: directory.open(email) ?? displayName, displayName },
          challenge: challenge.challenge,
          pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
          timeout: CHALLENGE_MS,
          excludeCredentials: descriptorsOf(operator, vault),
          authenticatorSelection: {
            ...{ residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
          },
          attestation: 'none',
        },
      };
    },

    /** @throws Refusal `passkeys_unavailable` | `passkey_challenge_expired` | `invalid_passkey` */
    async finish(operatorId: string, purpose: Purpose, boundTo: string, body: RegisterPasskey): Promise<NewPasskey> {
      const rp = requireRelyingParty(relyingParty);
      const { challenge, passkeyId } = challenges.read(body.challengeToken, purpose, boundTo);
      const key = await verifyRegistration(body.credential, { challenge, relyingParty: rp });
      if ('problem' in key) return refuse('invalid_passkey', { problem: key.problem });
      const subject = dataKeyOf(operatorId);
      const keyId = vault.currentKeyOf(subject) ?? (await vault.createKey(subject));
      return {
        passkeyId,
        name: vault.seal(keyId, body.name),
        credentialDigest: digestOfCredential(vault, key.credentialId),
        credentialId: vault.seal(keyId, key.credentialId),
        publicKey: vault.seal(keyId, key.publicKey),
        counter: key.counter,
        transports: TRANSPORTS.filter((transport) => body.credential.response.transports?.includes(transport)),
      };
    },
  };
}
