import { expect, test } from 'vitest';
import { at, hash, later, MINUTE, NOW, sealed, specification, uuid } from '../../../test/support/specification.ts';
import { OperatorPasskeyAdded, OperatorPasskeyRemoved } from '../operator/passkeyEvents.ts';
import { decide, MAX_RECENT_USES } from './decide.ts';
import { PasskeyCounterRegressed, PasskeyUsed } from './events.ts';
import { evolve, initialState } from './state.ts';

const uses = specification({ decide, evolve, initialState });
const who = { operatorId: 'op_1', passkeyId: uuid(1) };
const added = (counter: number) =>
  OperatorPasskeyAdded({
    ...{
      ...who,
      name: sealed('phone'),
      credentialDigest: hash('a'),
      credentialId: sealed('id'),
      publicKey: sealed('key'),
    },
    ...{ counter, transports: [] },
  });
const removed = OperatorPasskeyRemoved(who);
const used = (counter: number, challenge = 'a') =>
  PasskeyUsed({ ...who, counter, purpose: 'sign_in', challengeHash: hash(challenge) });
const use = (counter: number, challenge = 'b') =>
  ({ type: 'UsePasskey', ...who, counter, purpose: 'sign_in', challengeHash: hash(challenge) }) as const;
const regression = (counter: number) => ({ type: 'RecordRegression', ...who, counter }) as const;

test('accepts a signature whose counter has counted on', () => {
  uses.given(added(4)).when(use(5)).then(used(5, 'b'));
  uses.given(added(4), used(9)).when(use(10)).then(used(10, 'b'));
});

test('accepts an authenticator that does not count', () =>
  uses.given(added(0), used(0)).when(use(0)).then(used(0, 'b')));

test('refuses a counter that was seen before, went back, or stopped counting, and records it', () => {
  for (const counter of [5, 4, 0]) {
    uses.given(added(4), used(5)).when(use(counter)).refuses('passkey_counter_regressed', { counter, lastCounter: 5 });
    uses
      .given(added(4), used(5))
      .when(regression(counter))
      .then(PasskeyCounterRegressed({ ...who, counter, lastCounter: 5 }));
  }
  uses.given(added(4), used(5)).when(regression(6)).then();
  const regressed = uses.given(
    added(4),
    used(5),
    at(NOW, PasskeyCounterRegressed({ ...who, counter: 4, lastCounter: 5 })),
  );
  expect(regressed.state().byId.get(uuid(1))).toMatchObject({ counter: 5, regressedAt: NOW });
  // The authenticator that counts on is still accepted.
  regressed.when(use(6)).then(used(6, 'b'));
});

test('accepts each challenge once, whatever passkey of the operator answers it', () => {
  uses
    .given(added(0), at(NOW, used(0, 'a')))
    .when(use(0, 'a'), { now: later(MINUTE) })
    .refuses('passkey_challenge_expired');
  const other = { ...use(0, 'a'), passkeyId: uuid(2) };
  const second = OperatorPasskeyAdded({ ...added(0).data, passkeyId: uuid(2) });
  uses
    .given(added(0), second, at(NOW, used(0, 'a')))
    .when(other)
    .refuses('passkey_challenge_expired');
});

test('forgets challenges once they have expired on every node', () => {
  const state = uses.given(added(0), at(NOW, used(0, 'a')), at(later(11 * MINUTE), used(0, 'b'))).state();
  expect(state.challenges.map(({ hash }) => hash)).toEqual([hash('b')]);
});

test('refuses a passkey that was removed', () => {
  uses.given(added(0), removed).when(use(0)).refuses('passkey_not_found');
  uses.given(added(0), removed).when(regression(0)).refuses('passkey_not_found');
});

test('a use that was recorded while the passkey was removed uses up its challenge, and nothing else', () => {
  const state = uses.given(added(0), removed, used(1)).state();
  expect([state.byId.size, state.challenges.length]).toEqual([0, 1]);
});

test('limits how often passkeys are used, so that the state stays small', () => {
  const often = Array.from({ length: MAX_RECENT_USES }, (_, n) =>
    at(NOW, PasskeyUsed({ ...used(0).data, challengeHash: n.toString(16).padStart(64, '0') })),
  );
  uses
    .given(added(0), ...often)
    .when(use(0))
    .refuses('rate_limit_exceeded');
  uses
    .given(added(0), ...often)
    .when(use(0), { now: later(10 * MINUTE) })
    .then(used(0, 'b'));
});
