import { expect, test } from 'vitest';
import { later, NOW, passwordHash, sealed, uuid } from '../../../test/support/specification.ts';
import type { Session } from '../session/state.ts';
import { hasVerifiedTotp, isSessionValid, isTotpPending, mustSetUpTotp } from './sessionChecks.ts';
import type { DashboardAuth } from './state.ts';

const session: Session = {
  ...{ id: uuid(1), passwordId: uuid(50), totpId: null, expiresAt: later(60_000), authenticatedAt: NOW },
  ...{ operatorId: 'op_1', method: 'password', passkeyId: null, address: null, userAgent: null },
};
const auth: DashboardAuth = {
  password: { id: uuid(50), hash: passwordHash('a') },
  totp: { id: uuid(70), secret: sealed('totp'), lastStep: 1 },
  isTotpRequired: true,
};

test('a session is valid until it expires or its password is changed or removed', () => {
  expect(isSessionValid(session, auth, NOW)).toBe(true);
  expect(isSessionValid(session, auth, later(59_999))).toBe(true);
  expect(isSessionValid(session, auth, later(60_000))).toBe(false);
  expect(isSessionValid(session, { ...auth, password: { id: uuid(51), hash: passwordHash('b') } }, NOW)).toBe(false);
  expect(isSessionValid(session, { ...auth, password: null }, NOW)).toBe(false);
});

test('TOTP is pending while it is required, configured and not verified by this session', () => {
  expect(isTotpPending(session, auth)).toBe(true);
  expect(isTotpPending({ ...session, method: 'oidc' }, auth)).toBe(false);
  expect(isTotpPending({ ...session, totpId: uuid(70) }, auth)).toBe(false);
  expect(isTotpPending({ ...session, totpId: uuid(71) }, auth)).toBe(true);
  expect(isTotpPending(session, { ...auth, isTotpRequired: false })).toBe(false);
  expect(isTotpPending(session, { ...auth, totp: null })).toBe(false);
});

test('only the TOTP that is configured now counts as verified', () => {
  expect(hasVerifiedTotp(session, auth)).toBe(false);
  expect(hasVerifiedTotp({ ...session, totpId: uuid(70) }, auth)).toBe(true);
  expect(hasVerifiedTotp({ ...session, totpId: uuid(71) }, auth)).toBe(false);
  expect(hasVerifiedTotp(session, { ...auth, totp: null })).toBe(false);
});

test('a session of another sign-in does not end with a password, and one of a removed password does', () => {
  expect(isSessionValid({ ...session, passwordId: null, method: 'oidc' }, { ...auth, password: null }, NOW)).toBe(true);
  expect(isSessionValid({ ...session, passwordId: null }, { ...auth, password: null }, NOW)).toBe(false);
  expect(isSessionValid(session, undefined, NOW)).toBe(false);
});

test('TOTP must be set up where it is required and missing', () => {
  expect(mustSetUpTotp(session, { ...auth, totp: null })).toBe(true);
  expect(mustSetUpTotp(session, auth)).toBe(false);
  expect(mustSetUpTotp({ ...session, method: 'oidc' }, { ...auth, totp: null })).toBe(false);
  expect(mustSetUpTotp(session, { ...auth, totp: null, isTotpRequired: false })).toBe(false);
});

test('a session of a passkey ends with the passkey, and needs no TOTP', () => {
  const byPasskey = { ...session, passwordId: null, method: 'passkey', passkeyId: uuid(80) };
  const passkeys = new Map([[uuid(80), {}]]);
  expect(isSessionValid(byPasskey, { ...auth, passkeys }, NOW)).toBe(true);
  expect(isSessionValid(byPasskey, { ...auth, passkeys: new Map() }, NOW)).toBe(false);
  expect(isSessionValid(byPasskey, auth, NOW)).toBe(false);
  expect(isTotpPending(byPasskey, { ...auth, passkeys })).toBe(false);
  expect(mustSetUpTotp(byPasskey, { ...auth, totp: null, passkeys })).toBe(false);
});
