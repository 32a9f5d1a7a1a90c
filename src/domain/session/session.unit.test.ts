import { expect, test } from 'vitest';
import { later, NOW, recorded, uuid } from '../../../test/support/specification.ts';
import type { Recorded } from '../core/event.ts';
import { SessionBegun, SessionEnded, type SessionEvent, SessionTotpVerified } from './events.ts';
import { evolve, type Sessions } from './state.ts';

const started = (id: number, changes: Partial<Parameters<typeof SessionBegun>[0]> = {}) =>
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

test('keeps sessions side by side until they end', () => {
  expect(idsAfter(started(1), started(2))).toEqual([uuid(1), uuid(2)]);
  expect(idsAfter(started(1), started(2), SessionEnded({ sessionId: uuid(1) }))).toEqual([uuid(2)]);
});

test('ends the earlier session when a client signs in again', () =>
  expect(idsAfter(started(1), started(2, { replaces: uuid(1) }))).toEqual([uuid(2)]));

test('changes only the id of a session that is verified with TOTP', () => {
  const sessions = after(started(1), verified(1, 2));
  expect([...sessions.keys()]).toEqual([uuid(2)]);
  expect(sessions.get(uuid(2))).toEqual({
    id: uuid(2),
    passwordId: uuid(50),
    totpId: uuid(70),
    expiresAt: later(60_000),
  });
});

test('does not bring back an ended session when TOTP is verified', () =>
  expect(idsAfter(started(1), SessionEnded({ sessionId: uuid(1) }), verified(1, 2))).toEqual([]));

test('drops expired sessions', () => expect(idsAfter(started(1, { expiresAt: NOW }), started(2))).toEqual([uuid(2)]));
