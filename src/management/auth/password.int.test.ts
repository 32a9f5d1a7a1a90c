import { expect, test } from 'vitest';
import { browser, logIn, PASSWORD, requireTotp, setUp } from '../../../test/support/browser.ts';
import { HOUR } from '../../../test/support/specification.ts';
import {
  advanceClock,
  allEvents,
  DONE,
  REMOTE,
  sessionState,
  startStage,
  statusAndResult,
  verifyTotp,
} from './authStage.support.ts';

test('starts a session when the password is set and closes management to others', async () => {
  const stage = await startStage();
  const client = browser(stage);
  const response = await client.post('password/setup', { password: PASSWORD });
  expect(statusAndResult(response)).toEqual([200, sessionState()]);
  expect(statusAndResult(await client.call('GET', '/api/dashboard-auth/session'))).toEqual([200, sessionState()]);
  expect((await client.call('GET', '/api/accounts')).status).toBe(200);
  expect(statusAndResult(await stage.call('GET', '/api/accounts'))).toEqual([401, 'authentication_required']);
  expect(statusAndResult(await stage.call('GET', '/api/settings'))).toEqual([401, 'unauthorized']);
  const remote = await stage.call('GET', '/api/dashboard-auth/session');
  expect(remote.body).toEqual(sessionState({ isPasswordVerified: false }));
});

test('stores a scrypt-kdf hash and nothing else of the password', async () => {
  const stage = await startStage();
  await setUp(stage);
  const all = JSON.stringify(await allEvents(stage));
  expect(all).not.toContain(PASSWORD);
  const [{ data } = { data: undefined }] = await allEvents(stage);
  const { passwordHash } = data as { passwordHash: string };
  expect(Buffer.from(passwordHash, 'base64').subarray(0, 6).toString()).toBe('scrypt');
});

test('sets the first password once, even for two simultaneous requests', async () => {
  const stage = await startStage();
  const both = await Promise.all(
    [1, 2].map((n) => browser(stage).post('password/setup', { password: `${PASSWORD} ${n}` })),
  );
  expect(both.map(statusAndResult).toSorted()).toEqual([
    [200, sessionState()],
    [409, 'password_already_configured'],
  ]);
  const third = await browser(stage).post('password/setup', { password: PASSWORD });
  expect(statusAndResult(third)).toEqual([409, 'password_already_configured']);
  const winner = both.findIndex(({ status }) => status === 200) + 1;
  const logins = [1, 2].map((n) => browser(stage).post('password/login', { password: `${PASSWORD} ${n}` }));
  expect((await Promise.all(logins)).map(({ status }) => status)).toEqual(winner === 1 ? [200, 401] : [401, 200]);
});

test('accepts a password of 8 characters in any Unicode normalization', async () => {
  const stage = await startStage();
  await browser(stage).post('password/setup', { password: 'Zürich 8'.normalize('NFD') });
  expect((await browser(stage).post('password/login', { password: 'Zürich 8'.normalize('NFC') })).status).toBe(200);
  expect((await browser(stage).post('password/login', { password: ' Zürich 8 ' })).status).toBe(401);
});

test('refuses sign-in, change and TOTP while no password is set', async () => {
  const { call } = await startStage();
  const code = { code: '123456' };
  for (const [path, body] of [
    ['password/login', { password: PASSWORD }],
    ['password/change', { currentPassword: PASSWORD, newPassword: PASSWORD }],
    ['totp/setup/start', undefined],
    ['totp/setup/confirm', { setupToken: 'x', ...code }],
    ['totp/verify', code],
    ['totp/disable', undefined],
  ] as const) {
    const response = await call('POST', `/api/dashboard-auth/${path}`, { body });
    expect([path, ...statusAndResult(response)]).toEqual([path, 400, 'password_not_configured']);
  }
  const removed = await call('DELETE', '/api/dashboard-auth/password', { body: { password: PASSWORD } });
  expect(statusAndResult(removed)).toEqual([400, 'password_not_configured']);
});

test("ends all other sessions on a password change and renews the client's cookie", async () => {
  const stage = await startStage();
  const client = await setUp(stage);
  const copy = browser(stage, { cookie: client.cookie as string });
  const other = await logIn(stage);
  advanceClock(stage, HOUR);
  const response = await client.post('password/change', { currentPassword: PASSWORD, newPassword: 'battery staple' });
  expect(statusAndResult(response)).toEqual(DONE);
  expect(response.headers['set-cookie']?.[0]).toContain('Max-Age=43200;');
  expect((await client.call('GET', '/api/accounts')).status).toBe(200);
  for (const ended of [copy, other]) {
    expect(statusAndResult(await ended.call('GET', '/api/accounts'))).toEqual([401, 'authentication_required']);
    expect((await ended.call('GET', '/api/dashboard-auth/session')).body).toEqual(
      sessionState({ isPasswordVerified: false }),
    );
  }
  expect((await browser(stage).post('password/login', { password: PASSWORD })).status).toBe(401);
  expect((await browser(stage).post('password/login', { password: 'battery staple' })).status).toBe(200);
});

test('requires the current password to change or remove it', async () => {
  const stage = await startStage();
  const client = await setUp(stage);
  const change = { currentPassword: 'something else', newPassword: 'battery staple' };
  expect(statusAndResult(await client.post('password/change', change))).toEqual([401, 'invalid_credentials']);
  const sent = { body: { password: 'something else' } };
  const removed = await client.call('DELETE', '/api/dashboard-auth/password', sent);
  expect(statusAndResult(removed)).toEqual([401, 'invalid_credentials']);
  expect((await logIn(stage)).cookie).toBeDefined();
});

test('opens management to this machine alone once the password is removed', async () => {
  const stage = await startStage();
  const client = await setUp(stage);
  await requireTotp(stage, client);
  await verifyTotp(stage, client);
  const sent = { body: { password: PASSWORD } };
  const response = await client.call('DELETE', '/api/dashboard-auth/password', sent);
  expect(statusAndResult(response)).toEqual(DONE);
  expect(response.headers['set-cookie']?.[0]).toContain('Max-Age=0');
  const nothing = sessionState({ isPasswordConfigured: false, isPasswordVerified: false });
  expect((await stage.call('GET', '/api/dashboard-auth/session')).body).toEqual(nothing);
  const { body } = await stage.call('GET', '/api/settings');
  expect(body).toMatchObject({ totp_required_on_login: false, totp_configured: false });
  expect((await browser(stage, REMOTE).call('GET', '/api/settings')).status).toBe(401);
});

test('rejects a copied cookie after the password was removed and set again', async () => {
  const stage = await startStage();
  const client = await setUp(stage);
  const copy = browser(stage, { cookie: client.cookie as string });
  await client.call('DELETE', '/api/dashboard-auth/password', { body: { password: PASSWORD } });
  await setUp(stage);
  expect(statusAndResult(await copy.call('GET', '/api/accounts'))).toEqual([401, 'authentication_required']);
});
