import { expect, test } from 'vitest';
import {
  at,
  hash,
  later,
  MINUTE,
  NOW,
  passwordHash,
  sealed,
  specification,
  uuid,
} from '../../../test/support/specification.ts';
import { operator as decider } from './decide.ts';
import { MAX_PASSKEYS, type NewPasskey } from './decidePasskey.ts';
import * as events from './events.ts';

const operators = specification(decider);
const link = { invitationHash: hash('a'), expiresAt: later(60 * MINUTE) };
const invited = (operatorId: string) =>
  events.OperatorInvited({ operatorId, name: sealed('name'), email: sealed('email'), role: 'administrator', ...link });
const accepted = (operatorId: string, method = 'password') => events.OperatorInvitationAccepted({ operatorId, method });
const withPassword = (operatorId: string) =>
  events.OperatorPasswordSet({ operatorId, passwordId: uuid(1), passwordHash: passwordHash('a') });
const ada = [invited('a'), accepted('a'), withPassword('a')] as const;
const passkey = (n: number): NewPasskey => ({
  passkeyId: uuid(n),
  name: sealed('phone'),
  credentialDigest: n.toString(16).padStart(64, '0'),
  credentialId: sealed('id'),
  publicKey: sealed('key'),
  counter: 0,
  transports: ['internal'],
});
const added = (operatorId: string, n: number) => events.OperatorPasskeyAdded({ ...passkey(n), operatorId });
const removed = (n: number) => events.OperatorPasskeyRemoved({ operatorId: 'a', passkeyId: uuid(n) });
const add = (n: number, operatorId = 'a') => ({ type: 'AddPasskey', operatorId, passkey: passkey(n) }) as const;
const remove = (n: number, isOwn = true) =>
  ({ type: 'RemovePasskey', operatorId: 'a', passkeyId: uuid(n), isOwn }) as const;

test('adds several passkeys to an operator', () =>
  operators
    .given(...ada, added('a', 1))
    .when(add(2))
    .then(added('a', 2)));

test('refuses a passkey that is registered, also by another operator', () => {
  const known = { ...add(2), passkey: { ...passkey(2), credentialDigest: passkey(1).credentialDigest } };
  operators
    .given(...ada, added('a', 1))
    .when(known)
    .refuses('passkey_exists');
  operators
    .given(...ada, invited('b'), added('b', 1))
    .when(known)
    .refuses('passkey_exists');
});

test('frees the passkeys of an operator who was removed', () =>
  operators
    .given(...ada, invited('b'), added('b', 1), events.OperatorRemoved({ operatorId: 'b' }))
    .when(add(1))
    .then(added('a', 1)));

test('accepts a registration once, also after its passkey was removed', () => {
  operators
    .given(...ada, at(NOW, added('a', 1)))
    .when(add(1))
    .refuses('passkey_challenge_expired');
  operators
    .given(...ada, at(NOW, added('a', 1)), at(NOW, removed(1)))
    .when(add(1), { now: later(5 * MINUTE) })
    .refuses('passkey_challenge_expired');
  // Registrations of long ago are forgotten: their challenges have expired.
  const state = operators
    .given(...ada, at(NOW, added('a', 1)), at(NOW, removed(1)), at(later(11 * MINUTE), added('a', 2)))
    .state();
  expect(state.byId.get('a')?.passkeys.recent.map(({ id }) => id)).toEqual([uuid(2)]);
});

test(`keeps at most ${MAX_PASSKEYS} passkeys of an operator`, () => {
  const all = Array.from({ length: MAX_PASSKEYS }, (_, n) => added('a', n + 1));
  operators
    .given(...ada, ...all)
    .when(add(99))
    .refuses('invalid_passkey');
  operators
    .given(...ada, ...all, removed(1))
    .when(add(99))
    .then(added('a', 99));
});

test('renames and removes passkeys that exist', () => {
  const rename = { type: 'RenamePasskey', operatorId: 'a', name: sealed('laptop') } as const;
  operators
    .given(...ada, added('a', 1))
    .when({ ...rename, passkeyId: uuid(1) })
    .then(events.OperatorPasskeyRenamed({ operatorId: 'a', passkeyId: uuid(1), name: sealed('laptop') }));
  operators
    .given(...ada)
    .when({ ...rename, passkeyId: uuid(1) })
    .refuses('passkey_not_found');
  operators
    .given(...ada, added('a', 1))
    .when(remove(1))
    .then(removed(1));
  // A passkey of another operator does not exist.
  operators
    .given(...ada, invited('b'), added('b', 1))
    .when(remove(1))
    .refuses('passkey_not_found');
});

test('keeps the last way to sign in, unless an administrator removes it, who can invite again', () => {
  const only = [invited('a'), accepted('a', 'passkey'), added('a', 1)] as const;
  operators
    .given(...only)
    .when(remove(1))
    .refuses('last_sign_in_method');
  operators
    .given(...only)
    .when(remove(1, false))
    .then(removed(1));
  operators
    .given(...only, added('a', 2))
    .when(remove(1))
    .then(removed(1));
});

test('accepts an invitation with a passkey instead of a password, once', () => {
  const accept = { type: 'AcceptInvitation', operatorId: 'a', invitationHash: hash('a'), passkey: passkey(1) } as const;
  operators.given(invited('a')).when(accept).then(accepted('a', 'passkey'), added('a', 1));
  operators.given(invited('a'), accepted('a', 'passkey')).when(accept).refuses('invalid_invitation');
  operators.given(invited('a'), invited('b'), added('b', 1)).when(accept).refuses('passkey_exists');
});

test('removing an operator removes the passkeys, and disabling does not', () => {
  const passkeysAfter = (
    event: ReturnType<typeof events.OperatorRemoved> | ReturnType<typeof events.OperatorDisabled>,
  ) =>
    operators
      .given(...ada, added('a', 1), event)
      .state()
      .byId.get('a')?.passkeys.byId.size;
  expect(passkeysAfter(events.OperatorDisabled({ operatorId: 'a' }))).toBe(1);
  expect(passkeysAfter(events.OperatorRemoved({ operatorId: 'a' }))).toBe(0);
});
