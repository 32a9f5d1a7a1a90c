import type { Context, Decider } from '../core/decider.ts';
import { refuse } from '../core/refusal.ts';
import { stillRemembered } from '../operator/passkeys.ts';
import { PasskeyCounterRegressed, type PasskeyPurpose, PasskeyUsed, type PasskeyUseEvent } from './events.ts';
import { evolve, initialState, type PasskeyUse, type PasskeyUses } from './state.ts';

interface Signature {
  readonly operatorId: string;
  readonly passkeyId: string;
  readonly counter: number;
}

export type PasskeyUseCommand =
  /** A signature was verified. */
  | ({ readonly type: 'UsePasskey'; readonly purpose: PasskeyPurpose; readonly challengeHash: string } & Signature)
  /** `UsePasskey` was refused because of its counter. */
  | ({ readonly type: 'RecordRegression' } & Signature);

/** In the time that challenges are remembered: no person signs in more often, and the state stays small. */
export const MAX_RECENT_USES = 100;

/**
 * The uses of one operator's passkeys are one stream, so that of two requests with the same signature, on whatever nodes, one is
 * accepted.
 * @throws Refusal `passkey_not_found` | `passkey_challenge_expired` | `passkey_counter_regressed` | `rate_limit_exceeded`
 */
export function decide(command: PasskeyUseCommand, uses: PasskeyUses, { now }: Context): PasskeyUseEvent[] {
  const { operatorId, passkeyId, counter } = command;
  const use = uses.byId.get(passkeyId) ?? refuse('passkey_not_found', { passkeyId });
  const { counter: lastCounter } = use;
  if (command.type === 'RecordRegression') {
    return isRegression(counter, use) ? [PasskeyCounterRegressed({ operatorId, passkeyId, counter, lastCounter })] : [];
  }
  const { purpose, challengeHash } = command;
  if (uses.challenges.some(({ hash }) => hash === challengeHash)) {
    refuse('passkey_challenge_expired', { problem: 'this response of the passkey was already used' });
  }
  if (isRegression(counter, use)) refuse('passkey_counter_regressed', { counter, lastCounter });
  if (stillRemembered(uses.challenges, now).length >= MAX_RECENT_USES) {
    refuse('rate_limit_exceeded', {
      problem: 'your passkeys were used too often; try again in 10 minutes',
      retryAfterSeconds: 600,
    });
  }
  return [PasskeyUsed({ operatorId, passkeyId, counter, purpose, challengeHash })];
}

/** Whether an authenticator that counts has not counted on (W3C WebAuthn). */
const isRegression = (counter: number, { counter: last }: PasskeyUse): boolean =>
  (counter > 0 || last > 0) && counter <= last;

export const passkeyUse: Decider<PasskeyUses, PasskeyUseCommand, PasskeyUseEvent> = { decide, evolve, initialState };
