import type { Capabilities } from '../http/capabilities.ts';
import type { Actors } from './actors.ts';
import type { AttemptFor } from './attemptFor.ts';
import type { CheckCredential } from './credentialCheck.ts';
import { type Challenges, createChallenges } from './passkeyChallenges.ts';
import { type CheckPasskey, createPasskeyCheck } from './passkeyCheck.ts';
import { createPasskeyRegistration } from './passkeyRegistration.ts';
import { type NoRelyingParty, type RelyingParty, relyingPartyOf } from './passkeys/relyingParty.ts';

export interface PasskeyServices {
  readonly relyingParty: RelyingParty | NoRelyingParty;
  readonly challenges: Challenges;
  readonly registration: ReturnType<typeof createPasskeyRegistration>;
  readonly check: CheckPasskey;
}

interface PasskeyServicesOptions
  extends Pick<Capabilities, 'views' | 'commands' | 'vault' | 'directory' | 'ids' | 'now'> {
  readonly publicUrl: string;
  readonly actors: Actors;
  readonly attemptFor: AttemptFor;
  readonly checkCredential: CheckCredential;
}

/** What registering and using passkeys is made of. */
export function createPasskeyServices(options: PasskeyServicesOptions): PasskeyServices {
  const relyingParty = relyingPartyOf(options.publicUrl);
  const challenges = createChallenges(options);
  const parts = { ...options, relyingParty, challenges };
  return { relyingParty, challenges, registration: createPasskeyRegistration(parts), check: createPasskeyCheck(parts) };
}
