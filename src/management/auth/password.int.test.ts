import { expect, test } from 'vitest';
import { browser, logIn, PASSWORD, requireTotp, setUp } from '../../../test/support/browser.ts';
import { HOUR } from '../../../test/support/specification.ts';
import { DONE, ELSEWHERE, events, pass, shown, stage, state, verified } from './authStage.support.ts';

test('starts a session when the password is set and closes management to others', async () => {
  const at = await stage();
  const client = browser(at);
  const answer = await client.post('password/setup', { password: PASSWORD });
  expect(shown(answer)).toEqual([200, state()]);
  expect(shown(await client.call('GET', '/api/dashboard-auth/session'))).toEqual([200, state()]);
  expect((await client.call('GET', '/api/accounts')).status).toBe(200);
  expect(shown(await at.call('GET', '/api/accounts'))).toEqual([401, 'authentication_required']);
  expect(shown(await at.call('GET', '/api/settings'))).toEqual([401, 'unauthorized']);
  const stranger = await at.call('GET', '/api/dashboard-auth/session');
  expect(stranger.body).toEqual(state({ isPasswordVerified: false }));
});

test('stores a scrypt-kdf hash and nothing else of the password', async () => {
  const at = await stage();
  await setUp(at);
  const all = JSON.stringify(await events(at));
  expect(all).not.toContain(PASSWORD);
  const [{ data } = { data: undefined }] = await events(at);
  const { passwordHash } = data as { passwordHash: string };
  expect(Buffer.from(passwordHash, 'base64').subarray(0, 6).toString()).toBe('scrypt');
});

test('sets the first password once, even for two simultaneous requests', async () => {
  const at = await stage();
  const both = await Promise.all(
    [1, 2].map((n) => browser(at).post('password/setup', { password: `${PASSWORD} ${n}` })),
  );
  expect(both.map(shown).toSorted()).toEqual([
    [200, state()],
    [409, 'password_already_configured'],
  ]);
  const third = await browser(at).post('password/setup', { password: PASSWORD });
  expect(shown(third)).toEqual([409, 'password_already_configured']);
  const winner = both.findIndex(({ status }) => status === 200) + 1;
  const logins = [1, 2].map((n) => browser(at).post('password/login', { password: `${PASSWORD} ${n}` }));
  expect((await Promise.all(logins)).map(({ status }) => status)).toEqual(winner === 1 ? [200, 401] : [401, 200]);
});

test('accepts a password of 8 characters in any Unicode normalization', async () => {
  const at = await stage();
  await browser(at).post('password/setup', { password: 'Zürich 8'.normalize('NFD') });
  expect((await browser(at).post('password/login', { password: 'Zürich 8'.normalize('NFC') })).status).toBe(200);
  expect((await browser(at).post('password/login', { password: ' Zürich 8 ' })).status).toBe(401);
});

test('refuses sign-in, change and TOTP while no password is set', async () => {
  const { call } = await stage();
  const code = { code: '123456' };
  for (const [path, body] of [
    ['password/login', { password: PASSWORD }],
    ['password/change', { currentPassword: PASSWORD, newPassword: PASSWORD }],
    ['totp/setup/start', undefined],
    ['totp/setup/confirm', { setupToken: 'x', ...code }],
    ['totp/verify', code],
    ['totp/disable', undefined],
  ] as const) {
    const answer = await call('POST', `/api/dashboard-auth/${path}`, { body });
    expect([path, ...shown(answer)]).toEqual([path, 400, 'password_not_configured']);
  }
  const removed = await call('DELETE', '/api/dashboard-auth/password', { body: { password: PASSWORD } });
  expect(shown(removed)).toEqual([400, 'password_not_configured']);
});

test("ends all other sessions on a password change and renews the client's cookie", async () => {
  const at = await stage();
  const client = await setUp(at);
  const copy = browser(at, { cookie: client.cookie as string });
  const neighbour = await logIn(at);
  pass(at, HOUR);
  const answer = await client.post('password/change', { currentPassword: PASSWORD, newPassword: 'battery staple' });
  expect(shown(answer)).toEqual(DONE);
  expect(answer.headers['set-cookie']?.[0]).toContain('Max-Age=43200;');
  expect((await client.call('GET', '/api/accounts')).status).toBe(200);
  for (const ended of [copy, neighbour]) {
    expect(shown(await ended.call('GET', '/api/accounts'))).toEqual([401, 'authentication_required']);
    expect((await ended.call('GET', '/api/dashboard-auth/session')).body).toEqual(state({ isPasswordVerified: false }));
  }
  expect((await browser(at).post('password/login', { password: PASSWORD })).status).toBe(401);
  expect((await browser(at).post('password/login', { password: 'battery staple' })).status).toBe(200);
});

test('requires the current password to change or remove it', async () => {
  const at = await stage();
  const client = await setUp(at);
  const change = { currentPassword: 'something else', newPassword: 'battery staple' };
  expect(shown(await client.post('password/change', change))).toEqual([401, 'invalid_credentials']);
  const sent = { body: { password: 'something else' } };
  const removed = await client.call('DELETE', '/api/dashboard-auth/password', sent);
  expect(shown(removed)).toEqual([401, 'invalid_credentials']);
  expect((await logIn(at)).cookie).toBeDefined();
});

test('opens management to this machine alone once the password is removed', async () => {
  const at = await stage();
  const client = await setUp(at);
  await requireTotp(at, client);
  await verified(at, client);
  const sent = { body: { password: PASSWORD } };
  const answer = await client.call('DELETE', '/api/dashboard-auth/password', sent);
  expect(shown(answer)).toEqual(DONE);
  expect(answer.headers['set-cookie']?.[0]).toContain('Max-Age=0');
  const nothing = state({ isPasswordConfigured: false, isPasswordVerified: false });
  expect((await at.call('GET', '/api/dashboard-auth/session')).body).toEqual(nothing);
  const { body } = await at.call('GET', '/api/settings');
  expect(body).toMatchObject({ totp_required_on_login: false, totp_configured: false });
  expect((await browser(at, ELSEWHERE).call('GET', '/api/settings')).status).toBe(401);
});

test('rejects a copied cookie after the password was removed and set again', async () => {
  const at = await stage();
  const client = await setUp(at);
  const copy = browser(at, { cookie: client.cookie as string });
  await client.call('DELETE', '/api/dashboard-auth/password', { body: { password: PASSWORD } });
  await setUp(at);
  expect(shown(await copy.call('GET', '/api/accounts'))).toEqual([401, 'authentication_required']);
});
