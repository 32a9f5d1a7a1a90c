import type { ErrorCode } from '../../domain/core/errorCodes.ts';
import { Refusal } from '../../domain/core/refusal.ts';
import { statusOf } from '../../domain/operator/state.ts';
import type { PasskeyPurpose } from '../../domain/passkeyUse/events.ts';
import { subjects } from '../../state/fold/subjects.ts';
import { openIfSealed } from '../../vault/openIfSealed.ts';
import type { Capabilities } from '../http/capabilities.ts';
import type { ManagementContext } from '../http/context.ts';
import type { Actors } from './actors.ts';
import type { AttemptFor } from './attemptFor.ts';
import type { CheckCredential } from './credentialCheck.ts';
import { type Challenges, hashOfChallenge } from './passkeyChallenges.ts';
import { digestOfCredential, findPasskey } from './passkeys/credentials.ts';
import type { AnswerChallenge } from './passkeys/passkeyWire.ts';
import { type NoRelyingParty, type RelyingParty, requireRelyingParty } from './passkeys/relyingParty.ts';
import { verifyAssertion } from './passkeys/webAuthn.ts';

export interface PasskeyAttempt {
  readonly purpose: PasskeyPurpose;
  /** The session that the challenge was made for; null for a sign-in. */
  readonly boundTo: string | null;
  readonly body: AnswerChallenge;
  /** Whose passkey it must be, where that is known; an undefined id is that of an unknown name. */
  readonly of?: { readonly operatorId: string | undefined };
}

/** A passkey that was used. */
export interface VerifiedPasskey {
  readonly operatorId: string;
  readonly passkeyId: string;
}

/**
 * @throws Refusal `passkeys_unavailable` | `passkey_challenge_expired` | `passkey_rejected` | `passkey_counter_regressed` |
 *   `rate_limit_exceeded` | `log_unavailable`
 */
export type CheckPasskey = (ctx: ManagementContext, attempt: PasskeyAttempt) => Promise<VerifiedPasskey>;

interface PasskeyCheckOptions extends Pick<Capabilities, 'views' | 'commands' | 'vault'> {
  readonly actors: Actors;
  readonly attemptFor: AttemptFor;
  readonly checkCredential: CheckCredential;
  readonly challenges: Challenges;
  readonly relyingParty: RelyingParty | NoRelyingParty;
}

const UNKNOWN = 'this passkey is not registered here, or no longer. Use another one, or sign in another way';
/** Refusals of the decider that count as a failed sign-in. */
const FAILURES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'passkey_not_found',
  'passkey_challenge_expired',
  'passkey_counter_regressed',
]);

/** Creates the check of passkeys. Failed attempts are throttled and recorded like wrong passwords. */
export function createPasskeyCheck(options: PasskeyCheckOptions): CheckPasskey {
  const { views, commands, vault, actors, attemptFor, checkCredential, challenges, relyingParty } = options;

  return async (ctx, { purpose, boundTo, body, of }) => {
    const rp = requireRelyingParty(relyingParty);
    const challenge = challenges.read(body.challengeToken, purpose, boundTo);
    const { credential } = body;
    const digest = digestOfCredential(vault, credential.id);
    const found = findPasskey(views.current.operators, digest);
    const isTheirs = found && statusOf(found.operator) === 'active' && (!of || of.operatorId === found.operator.id);
    const operatorId = of ? of.operatorId : isTheirs ? found.operator.id : undefined;
    const attempt = purpose === 'sign_in' ? await attemptFor(ctx, operatorId) : ctx;
    let refusal: readonly [ErrorCode, Readonly<Record<string, unknown>>] = ['passkey_rejected', { problem: UNKNOWN }];

    async function verify(): Promise<VerifiedPasskey | undefined> {
      const publicKey = isTheirs ? openIfSealed(found.passkey.publicKey, vault) : null;
      if (!isTheirs || publicKey === null) return undefined;
      const { operator, passkey } = found;
      const key = { operatorId: operator.id, publicKey };
      const verified = await verifyAssertion(credential, key, { challenge: challenge.challenge, relyingParty: rp });
      if ('problem' in verified) {
        refusal = ['passkey_rejected', { problem: verified.problem }];
        return undefined;
      }
      const who = { operatorId: operator.id, sessionId: null, method: 'passkey', usedTotp: false };
      const { cause, client } = ctx.state;
      const causeOfUse = purpose === 'sign_in' ? { ...cause, actor: await actors.of(client, who) } : cause;
      const use = { operatorId: operator.id, passkeyId: passkey.id, counter: verified.counter };
      const accept = { type: 'UsePasskey', purpose, challengeHash: hashOfChallenge(challenge), ...use } as const;
      try {
        await commands.handle(subjects.passkeyUse, operator.id, accept, causeOfUse);
      } catch (error) {
        if (!(error instanceof Refusal) || !FAILURES.has(error.code)) throw error;
        if (error.code === 'passkey_counter_regressed') {
          const { state } = attempt;
          await commands.handle(subjects.passkeyUse, operator.id, { type: 'RecordRegression', ...use }, state.cause);
        }
        if (error.code !== 'passkey_not_found') refusal = [error.code, error.details];
        return undefined;
      }
      return { operatorId: operator.id, passkeyId: passkey.id };
    }

    return checkCredential(attempt, {
      ...{ credential: 'passkey', method: 'passkey', account: operatorId ?? digest, operatorId, verify },
      refusal: () => refusal,
    });
  };
}
