import { expect, test } from 'vitest';
import { later, NOW, passwordHash, recorded, sealed, uuid } from '../../../test/support/specification.ts';
import type { Recorded } from '../core/event.ts';
import type { DashboardAuth } from '../dashboardAuth/state.ts';
import { SessionBegun, SessionEnded, type SessionEvent, SessionTotpVerified } from './events.ts';
import { evolve, hasVerifiedTotp, isTotpPending, isValid, type Session, type Sessions } from './state.ts';

const begun = (id: number, changes: Partial<Parameters<typeof SessionBegun>[0]> = {}) =>
  SessionBegun({
    sessionId: uuid(id),
    passwordId: uuid(50),
    totpId: null,
    replaces: null,
    expiresAt: later(60_000),
    ...changes,
  });
const verified = (from: number, to: number) =>
  SessionTotpVerified({ sessionId: uuid(to), replaces: uuid(from), totpId: uuid(70), step: 1 });

function after(...events: SessionEvent[]): Sessions {
  const sessions: Sessions = new Map();
  for (const event of events) evolve(sessions, recorded({ ...event, time: NOW }) as unknown as Recorded<SessionEvent>);
  return sessions;
}
const idsAfter = (...events: SessionEvent[]) => [...after(...events).keys()];

test('sessions stand beside each other until they end', () => {
  expect(idsAfter(begun(1), begun(2))).toEqual([uuid(1), uuid(2)]);
  expect(idsAfter(begun(1), begun(2), SessionEnded({ sessionId: uuid(1) }))).toEqual([uuid(2)]);
});

test('signing in anew ends the session from before', () =>
  expect(idsAfter(begun(1), begun(2, { replaces: uuid(1) }))).toEqual([uuid(2)]));

test('TOTP gives the session a new id, and nothing else', () => {
  const sessions = after(begun(1), verified(1, 2));
  expect([...sessions.keys()]).toEqual([uuid(2)]);
  expect(sessions.get(uuid(2))).toEqual({
    id: uuid(2),
    passwordId: uuid(50),
    totpId: uuid(70),
    expiresAt: later(60_000),
  });
});

test('TOTP does not bring back a session that has ended', () =>
  expect(idsAfter(begun(1), SessionEnded({ sessionId: uuid(1) }), verified(1, 2))).toEqual([]));

test('sessions that have expired are forgotten', () =>
  expect(idsAfter(begun(1, { expiresAt: NOW }), begun(2))).toEqual([uuid(2)]));

const session: Session = { id: uuid(1), passwordId: uuid(50), totpId: null, expiresAt: later(60_000) };
const auth: DashboardAuth = {
  password: { id: uuid(50), hash: passwordHash('a') },
  totp: { id: uuid(70), secret: sealed('totp'), lastStep: 1 },
  isTotpRequired: true,
};

test('a session holds until its time has come, its password was changed, or removed', () => {
  expect(isValid(session, auth, NOW)).toBe(true);
  expect(isValid(session, auth, later(59_999))).toBe(true);
  expect(isValid(session, auth, later(60_000))).toBe(false);
  expect(isValid(session, { ...auth, password: { id: uuid(51), hash: passwordHash('b') } }, NOW)).toBe(false);
  expect(isValid(session, { ...auth, password: null }, NOW)).toBe(false);
});

test('TOTP is pending while it is required, set up, and not verified by this session', () => {
  expect(isTotpPending(session, auth)).toBe(true);
  expect(isTotpPending({ ...session, totpId: uuid(70) }, auth)).toBe(false);
  expect(isTotpPending({ ...session, totpId: uuid(71) }, auth)).toBe(true);
  expect(isTotpPending(session, { ...auth, isTotpRequired: false })).toBe(false);
  expect(isTotpPending(session, { ...auth, totp: null })).toBe(false);
});

test('only the TOTP that is set up counts as verified', () => {
  expect(hasVerifiedTotp(session, auth)).toBe(false);
  expect(hasVerifiedTotp({ ...session, totpId: uuid(70) }, auth)).toBe(true);
  expect(hasVerifiedTotp({ ...session, totpId: uuid(71) }, auth)).toBe(false);
  expect(hasVerifiedTotp(session, { ...auth, totp: null })).toBe(false);
});
