import { expect, test } from 'vitest';
import { later, NOW, recorded, sealed, uuid } from '../../../test/support/specification.ts';
import type { Instant } from '../core/brands.ts';
import type { Recorded } from '../core/event.ts';
import {
  SessionBegun,
  SessionEnded,
  type SessionEvent,
  SessionReauthenticated,
  SessionTotpVerified,
} from './events.ts';
import { endSessionsOf, evolve, type Sessions } from './state.ts';

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

test('gives a session that is verified with TOTP a new id', () => {
  const sessions = after(started(1, { operatorId: 'op_1', address: sealed('address') }), verified(1, 2));
  expect([...sessions.keys()]).toEqual([uuid(2)]);
  expect(sessions.get(uuid(2))).toEqual({
    id: uuid(2),
    passwordId: uuid(50),
    totpId: uuid(70),
    expiresAt: later(60_000),
    operatorId: 'op_1',
    method: 'password',
    passkeyId: null,
    authenticatedAt: NOW,
    address: sealed('address'),
    userAgent: null,
  });
});

test('takes sessions of earlier versions for those of the built-in administrator', () =>
  expect(after(started(1)).get(uuid(1))).toMatchObject({
    operatorId: 'administrator',
    method: 'password',
    address: null,
  }));

test('notes when the person proved again who they are', () => {
  const sessions: Sessions = new Map();
  const fold = (event: SessionEvent, time: Instant) =>
    evolve(sessions, recorded({ ...event, time }) as unknown as Recorded<SessionEvent>);
  fold(started(1, { address: sealed('address') }), NOW);
  expect(sessions.get(uuid(1))?.authenticatedAt).toBe(NOW);
  fold(SessionReauthenticated({ sessionId: uuid(1) }), later(5_000));
  fold(SessionReauthenticated({ sessionId: uuid(2) }), later(6_000));
  expect([...sessions.values()].map(({ authenticatedAt }) => authenticatedAt)).toEqual([later(5_000)]);
});

test('ends the sessions of one operator', () => {
  const sessions = after(started(1), started(2, { operatorId: 'op_1' }), started(3, { operatorId: 'op_1' }));
  endSessionsOf(sessions, 'op_1');
  expect([...sessions.keys()]).toEqual([uuid(1)]);
});

test('does not bring back an ended session when TOTP is verified', () =>
  expect(idsAfter(started(1), SessionEnded({ sessionId: uuid(1) }), verified(1, 2))).toEqual([]));

test('drops expired sessions', () => expect(idsAfter(started(1, { expiresAt: NOW }), started(2))).toEqual([uuid(2)]));
