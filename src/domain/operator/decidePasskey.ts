import type { Sealed } from '../core/brands.ts';
import type { EventOf } from '../core/event.ts';
import { refuse } from '../core/refusal.ts';
import {
  OperatorPasskeyAdded,
  type OperatorPasskeyEvent,
  OperatorPasskeyRemoved,
  OperatorPasskeyRenamed,
} from './passkeyEvents.ts';
import type { Passkey } from './passkeys.ts';
import { type Operator, type Operators, presentOperators } from './state.ts';

/** A passkey that was registered, as the event has it. `passkeyId` was chosen with the challenge. */
export type NewPasskey = Omit<EventOf<typeof OperatorPasskeyAdded>['data'], 'operatorId'>;

export type PasskeyCommand =
  | { readonly type: 'AddPasskey'; readonly passkey: NewPasskey }
  | { readonly type: 'RenamePasskey'; readonly passkeyId: string; readonly name: Sealed }
  /** `isOwn`: the operator removes it, and could lock themselves out. An administrator can make a new invitation. */
  | { readonly type: 'RemovePasskey'; readonly passkeyId: string; readonly isOwn: boolean };

/** Browsers get the ids of all of them, so that no authenticator is registered twice. */
export const MAX_PASSKEYS = 20;

/** @throws Refusal `passkey_challenge_expired` | `passkey_exists` | `invalid_passkey` | `passkey_not_found` | `last_sign_in_method` */
export function decidePasskey(
  command: PasskeyCommand,
  operator: Operator,
  operators: Operators,
): OperatorPasskeyEvent[] {
  const { id: operatorId } = operator;
  if (command.type === 'AddPasskey') return [addedPasskey(command.passkey, operator, operators)];
  const { passkeyId } = command;
  const passkey = operator.passkeys.byId.get(passkeyId) ?? refuse('passkey_not_found', { passkeyId });
  if (command.type === 'RenamePasskey') return [OperatorPasskeyRenamed({ operatorId, passkeyId, name: command.name })];
  if (command.isOwn && isLastSignInMethod(passkey, operator)) refuse('last_sign_in_method');
  return [OperatorPasskeyRemoved({ operatorId, passkeyId })];
}

/** The event of a registration that is accepted. @throws Refusal as `decidePasskey` */
export function addedPasskey(
  passkey: NewPasskey,
  operator: Operator,
  operators: Operators,
): EventOf<typeof OperatorPasskeyAdded> {
  const { byId, recent } = operator.passkeys;
  const isKnown = ({ credentialDigest }: Passkey) => credentialDigest === passkey.credentialDigest;
  if (recent.some(({ id }) => id === passkey.passkeyId)) {
    refuse('passkey_challenge_expired', { problem: 'this registration was already used' });
  }
  if (presentOperators(operators).some(({ passkeys }) => [...passkeys.byId.values()].some(isKnown))) {
    refuse('passkey_exists');
  }
  if (byId.size >= MAX_PASSKEYS) {
    refuse('invalid_passkey', {
      problem: `there are ${MAX_PASSKEYS} passkeys, which is the maximum: remove one first`,
    });
  }
  return OperatorPasskeyAdded({ ...passkey, operatorId: operator.id });
}

const isLastSignInMethod = ({ id }: Passkey, { password, identity, passkeys }: Operator): boolean =>
  password === null && identity === null && [...passkeys.byId.keys()].every((other) => other === id);
