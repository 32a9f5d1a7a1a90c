import { expect, test } from 'vitest';
import { hash, later, NOW, passwordHash, sealed, specification, uuid } from '../../../test/support/specification.ts';
import { isBuiltInAvailable, isOpenToThisMachine } from './access.ts';
import { decide, MAX_OPERATORS, operator as operatorDecider } from './decide.ts';
import * as events from './events.ts';
import { mayGrant } from './grants.ts';
import { type Role, roles } from './role.ts';
import { evolve, initialState, type Operators, statusOf, withBuiltInPassword } from './state.ts';

const operators = specification(operatorDecider);
const link = { invitationHash: hash('a'), expiresAt: later(60_000) };
const profile = { name: sealed('name'), email: sealed('email') };
const invited = (operatorId: string, role: Role = 'administrator') =>
  events.OperatorInvited({ operatorId, ...profile, role, ...link });
const accepted = (operatorId: string) => events.OperatorInvitationAccepted({ operatorId, method: 'password' });
const password = { passwordId: uuid(1), passwordHash: passwordHash('a') };
const byAdministrator = { by: ['administrator'] as const };
const alone = { ...byAdministrator, isBuiltInAvailable: false };
const accept = { type: 'AcceptInvitation', operatorId: 'a', invitationHash: hash('a'), ...password } as const;

test('invites an operator', () =>
  operators
    .given()
    .when({ type: 'Invite', operatorId: 'a', role: 'auditor', compared: [], ...profile, ...link, ...byAdministrator })
    .then(invited('a', 'auditor')));

test('decides again when an operator was not compared with the new name', () =>
  operators
    .given(invited('b'))
    .when({ type: 'Invite', operatorId: 'a', role: 'auditor', compared: [], ...profile, ...link, ...byAdministrator })
    .refuses('conflict'));

test('refuses to grant a role above the own one', () => {
  const allowed = roles.map((own) => roles.filter((role) => mayGrant([own], role)));
  expect(allowed).toEqual([roles, roles.slice(1), roles.slice(2), roles.slice(3)]);
  // A token acts with its role and that of its owner.
  expect(mayGrant(['administrator', 'member'], 'operator')).toBe(false);
  const by = ['operator'] as const;
  const grant = { operatorId: 'a', role: 'administrator', compared: [], ...profile, ...link, by } as const;
  operators
    .given()
    .when({ type: 'Invite', ...grant })
    .refuses('insufficient_permissions');
  operators
    .given(invited('a', 'member'))
    .when({ type: 'Change', operatorId: 'a', role: 'administrator', by, isBuiltInAvailable: true })
    .refuses('insufficient_permissions');
  operators
    .given(invited('a'))
    .when({ type: 'Remove', operatorId: 'a', by, isBuiltInAvailable: true })
    .refuses('insufficient_permissions');
});

const identity = sealed('identity');
const linked = (operatorId: string) => events.OperatorIdentityLinked({ operatorId, identity });
const acceptedByOidc = (operatorId: string) => events.OperatorInvitationAccepted({ operatorId, method: 'oidc' });
const acceptByIdentity = { type: 'AcceptByIdentity', operatorId: 'a', identity, compared: ['a'] } as const;

test('accepts an invitation by the identity at an OpenID provider once', () => {
  operators.given(invited('a')).when(acceptByIdentity).then(acceptedByOidc('a'), linked('a'));
  operators.given(invited('a'), accepted('a')).when(acceptByIdentity).refuses('invalid_invitation');
  operators
    .given(events.OperatorInvited({ operatorId: 'a', ...profile, role: 'member', ...link, expiresAt: NOW }))
    .when(acceptByIdentity)
    .refuses('invalid_invitation');
  operators
    .given(invited('a'), events.OperatorDisabled({ operatorId: 'a' }))
    .when(acceptByIdentity)
    .refuses('invalid_invitation');
});

test('links an identity only when it was compared with that of every operator', () =>
  operators.given(invited('a'), invited('b')).when(acceptByIdentity).refuses('conflict'));

test('adds whom a rule gives a role', () => {
  const register = { type: 'Register', operatorId: 'a', role: 'auditor', ...profile, identity, compared: [] } as const;
  const registered = events.OperatorRegistered({ operatorId: 'a', ...profile, role: 'auditor' });
  operators.given().when(register).then(registered, linked('a'));
  operators.given(invited('b')).when(register).refuses('conflict');
  const state = folded(registered, linked('a'));
  expect(state.byId.get('a')).toMatchObject({ role: 'auditor', acceptedAt: NOW, invitation: null, identity });
});

test('takes the role that a rule gives, unless it is that of the last administrator', () => {
  const take = { type: 'TakeRole', operatorId: 'a', role: 'member' } as const;
  const given = operators.given(invited('a'), acceptedByOidc('a'));
  const changed = events.OperatorRoleChanged({ operatorId: 'a', from: 'administrator', to: 'member', by: 'claim' });
  given.when({ ...take, isBuiltInAvailable: true }).then(changed);
  given.when({ ...take, isBuiltInAvailable: false }).refuses('last_administrator');
  given.when({ ...take, role: 'administrator', isBuiltInAvailable: false }).then();
});

test('keeps the identity of a removed operator, and forgets that of a forgotten one', () => {
  const removed = [invited('a'), acceptedByOidc('a'), linked('a'), events.OperatorRemoved({ operatorId: 'a' })];
  expect(folded(...removed).byId.get('a')?.identity).toBe(identity);
  expect(folded(...removed, events.OperatorForgotten({ operatorId: 'a' })).byId.get('a')?.identity).toBeNull();
});

test('accepts an invitation once', () => {
  operators
    .given(invited('a'))
    .when(accept)
    .then(accepted('a'), events.OperatorPasswordSet({ operatorId: 'a', ...password }));
  operators.given(invited('a'), accepted('a')).when(accept).refuses('invalid_invitation');
});

test.each([
  ['of an unknown operator', []],
  [
    'with another secret',
    [invited('a'), events.OperatorInvitationRenewed({ operatorId: 'a', ...link, invitationHash: hash('b') })],
  ],
  ['that expired', [events.OperatorInvited({ operatorId: 'a', ...profile, role: 'member', ...link, expiresAt: NOW })]],
  ['of a disabled operator', [invited('a'), events.OperatorDisabled({ operatorId: 'a' })]],
  ['of a removed operator', [invited('a'), events.OperatorRemoved({ operatorId: 'a' })]],
])('refuses an invitation %s, always with the same error', (_name, given) =>
  operators
    .given(...given)
    .when(accept)
    .refuses('invalid_invitation'),
);

test('keeps the last administrator who can manage', () => {
  const one = [invited('a'), accepted('a'), invited('b', 'operator'), accepted('b'), invited('c')];
  for (const command of [
    { type: 'Remove', operatorId: 'a', ...alone },
    { type: 'Forget', operatorId: 'a', ...alone },
    { type: 'Change', operatorId: 'a', role: 'operator', ...alone },
    { type: 'Change', operatorId: 'a', isActive: false, ...alone },
  ] as const) {
    operators
      .given(...one)
      .when(command)
      .refuses('last_administrator');
  }
  operators
    .given(...one, accepted('c'))
    .when({ type: 'Remove', operatorId: 'a', ...alone })
    .then(events.OperatorRemoved({ operatorId: 'a' }));
  operators
    .given(...one)
    .when({ type: 'Remove', operatorId: 'a', ...alone, isBuiltInAvailable: true })
    .then(events.OperatorRemoved({ operatorId: 'a' }));
  operators
    .given(invited('a'))
    .when({ type: 'Remove', operatorId: 'a', ...alone })
    .refuses('last_administrator');
  operators
    .given(...one)
    .when({ type: 'Remove', operatorId: 'b', ...alone })
    .then(events.OperatorRemoved({ operatorId: 'b' }));
});

test('forgets an operator who was removed before, and only once', () => {
  const forget = { type: 'Forget', operatorId: 'b', ...alone } as const;
  const removed = [invited('a'), accepted('a'), invited('b'), events.OperatorRemoved({ operatorId: 'b' })];
  operators
    .given(...removed)
    .when(forget)
    .then(events.OperatorForgotten({ operatorId: 'b' }));
  operators
    .given(...removed, events.OperatorForgotten({ operatorId: 'b' }))
    .when(forget)
    .then();
  operators.given().when(forget).refuses('operator_not_found');
});

test('uses a recovery code once, and none after TOTP was disabled', () => {
  const totp = events.OperatorTotpConfigured({ operatorId: 'a', totpId: uuid(7), secret: sealed('totp'), step: 3 });
  const codes = events.OperatorRecoveryCodesMade({ operatorId: 'a', codes: [hash('a'), hash('b')] });
  const given = [invited('a'), accepted('a'), totp, codes];
  const use = { type: 'UseRecoveryCode', operatorId: 'a', code: hash('a') } as const;
  const used = events.OperatorRecoveryCodeUsed({ operatorId: 'a', code: hash('a') });
  operators
    .given(...given)
    .when(use)
    .then(used);
  operators
    .given(...given, used)
    .when(use)
    .refuses('totp_invalid_code');
  operators
    .given(...given, events.OperatorTotpDisabled({ operatorId: 'a', totpId: uuid(7) }))
    .when(use)
    .refuses('totp_invalid_code');
});

const folded = (...given: readonly { type: string; data: unknown }[]): Operators =>
  given.reduce((state, event) => evolve(state, { ...event, time: NOW } as never), initialState);

test('is open to this machine only until there is a password or an administrator', () => {
  const none = { password: null };
  const set = { password: { id: uuid(1), hash: '' } };
  expect(isOpenToThisMachine(initialState, none)).toBe(true);
  expect(isOpenToThisMachine(initialState, set)).toBe(false);
  expect(isOpenToThisMachine(folded(invited('a')), none)).toBe(true);
  expect(isOpenToThisMachine(folded(invited('a', 'member'), accepted('a')), none)).toBe(true);
  expect(isOpenToThisMachine(folded(invited('a'), accepted('a')), none)).toBe(false);
  expect(isBuiltInAvailable(folded(invited('a'), accepted('a')), set)).toBe(true);
});

test('stays closed after the password was removed while there were operators', () => {
  const removed = withBuiltInPassword(folded(invited('a', 'member')), false);
  expect(isOpenToThisMachine(removed, { password: null })).toBe(false);
  const empty = evolve(removed, { ...events.OperatorRemoved({ operatorId: 'a' }), time: NOW } as never);
  expect(isOpenToThisMachine(empty, { password: null })).toBe(false);
  expect(isOpenToThisMachine(withBuiltInPassword(empty, true), { password: null })).toBe(true);
  expect(isOpenToThisMachine(withBuiltInPassword(initialState, false), { password: null })).toBe(true);
});

test('has at most MAX_OPERATORS operators', () => {
  const many = folded(...Array.from({ length: MAX_OPERATORS }, (_, index) => invited(`op_${index}`, 'member')));
  const command = { type: 'Invite', operatorId: 'a', role: 'member', ...profile, ...link, ...byAdministrator } as const;
  const compared = [...many.byId.keys()];
  expect(() => decide({ ...command, compared }, many, { now: NOW, windowsNow: NOW })).toThrow('invalid_operator');
});

test('keeps what was removed by its status only', () => {
  const state = folded(invited('a'), accepted('a'), events.OperatorRemoved({ operatorId: 'a' }));
  const [removed] = state.byId.values();
  expect(removed && [statusOf(removed), removed.password, removed.invitation]).toEqual(['removed', null, null]);
});
