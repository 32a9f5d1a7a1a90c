import { expect, test } from 'vitest';
import { logIn, setUp, setUpTotp } from '../../../test/support/browser.ts';
import { startManagement } from '../../../test/support/management.ts';
import type { Instant } from '../../domain/core/brands.ts';

test('lists sessions, latest first, and marks the current one', async () => {
  const stage = await startManagement();
  const first = await setUp(stage);
  await setUpTotp(stage, first);
  await logIn(stage);
  const { body } = await first.call('GET', '/api/sessions');
  expect(body.sessions).toEqual([
    expect.objectContaining({ is_current: false, used_totp: false }),
    expect.objectContaining({ is_current: true, began_at: '2026-01-15T12:00:00.000Z' }),
  ]);
  const [{ session_id }] = body.sessions;
  const history = await first.call('GET', `/api/history?subject=session-${session_id}`);
  expect(history.body.events[0]).toMatchObject({
    type: 'SessionBegun',
    actor: { kind: 'operator', address: '127.0.0.1' },
  });
});

test('signs out another session immediately', async () => {
  const stage = await startManagement();
  const current = await setUp(stage);
  const other = await logIn(stage);
  const { body } = await current.call('GET', '/api/sessions');
  const listed = body.sessions.find(({ is_current }: { is_current: boolean }) => !is_current);
  expect((await current.call('DELETE', `/api/sessions/${listed.session_id}`)).body).toEqual({ status: 'ended' });
  expect((await other.call('GET', '/api/accounts')).status).toBe(401);
  expect((await current.call('GET', '/api/accounts')).status).toBe(200);
  const again = await current.call('DELETE', `/api/sessions/${listed.session_id}`);
  expect([again.status, again.body.error.code]).toEqual([404, 'session_not_found']);
});

test('signs out all other sessions', async () => {
  const stage = await startManagement();
  const current = await setUp(stage);
  const others = [await logIn(stage), await logIn(stage)];
  expect((await current.call('DELETE', '/api/sessions')).body).toEqual({ status: 'ended', count: 2 });
  for (const other of others) expect((await other.call('GET', '/api/accounts')).status).toBe(401);
  expect((await current.call('GET', '/api/sessions')).body.sessions).toHaveLength(1);
});

test('lists neither expired sessions nor any without a password', async () => {
  const stage = await startManagement();
  expect((await stage.call('GET', '/api/sessions')).body).toEqual({ sessions: [] });
  await setUp(stage);
  stage.clock.now = (stage.clock.now + 43_200_000) as Instant;
  const late = await logIn(stage);
  expect((await late.call('GET', '/api/sessions')).body.sessions).toHaveLength(1);
});

test('lists the sessions of an earlier moment, with those that have ended since', async () => {
  const stage = await startManagement();
  const current = await setUp(stage);
  await logIn(stage);
  const { body: before } = await current.call('GET', '/api/sessions');
  const { position } = (await current.call('GET', '/api/history?limit=1')).body.events[0];
  await current.call('DELETE', '/api/sessions');
  expect((await current.call('GET', '/api/sessions')).body.sessions).toHaveLength(1);
  expect(before.sessions).toHaveLength(2);
  expect((await current.call('GET', `/api/sessions?at=${position}`)).body).toEqual(before);
});
