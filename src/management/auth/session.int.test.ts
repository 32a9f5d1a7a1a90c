import { expect, test } from 'vitest';
import { browser, codeAt, logIn, PASSWORD, setUp, setUpTotp } from '../../../test/support/browser.ts';
import { startManagement, temporaryFolder } from '../../../test/support/management.ts';
import { HOUR } from '../../../test/support/specification.ts';
import { DONE, pass, shown, stage, state } from './authStage.support.ts';

test('reports that neither password nor TOTP is configured at first', async () => {
  const { call } = await stage();
  const answer = await call('GET', '/api/dashboard-auth/session');
  const nothing = state({ isPasswordConfigured: false, isPasswordVerified: false });
  expect([answer.status, answer.body, answer.headers['set-cookie']]).toEqual([200, nothing, undefined]);
});

test('sets an HttpOnly, SameSite cookie that lasts 12 hours', async () => {
  const { call } = await stage();
  const sent = { body: { password: PASSWORD } };
  const { headers } = await call('POST', '/api/dashboard-auth/password/setup', sent);
  expect(headers['set-cookie']).toEqual([
    expect.stringMatching(/^dashboard_session=[\w-]{60,}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/),
  ]);
});

test('marks the cookie Secure for clients that use HTTPS', async () => {
  const { call } = await startManagement({
    connection: { isHttps: ({ headers }) => headers['x-test-scheme'] === 'https' },
  });
  const sent = { body: { password: PASSWORD }, headers: { 'x-test-scheme': 'https' } };
  const { headers } = await call('POST', '/api/dashboard-auth/password/setup', sent);
  expect(headers['set-cookie']?.[0]).toMatch(/; Secure$/);
});

test('starts a session for the correct password only', async () => {
  const at = await stage();
  await setUp(at);
  const client = browser(at);
  const wrong = await client.post('password/login', { password: `${PASSWORD}!` });
  expect([...shown(wrong), wrong.body.error.message]).toEqual([401, 'invalid_credentials', 'The password is wrong']);
  expect(client.cookie).toBeUndefined();
  expect(shown(await client.post('password/login', { password: PASSWORD }))).toEqual([200, state()]);
  expect((await client.call('GET', '/api/accounts')).status).toBe(200);
});

test('lets many clients of one address sign in at once', async () => {
  const at = await stage();
  await setUp(at);
  const clients = await Promise.all(Array.from({ length: 12 }, () => logIn(at)));
  expect(new Set(clients.map(({ cookie }) => cookie)).size).toBe(12);
  for (const client of clients) expect((await client.call('GET', '/api/accounts')).status).toBe(200);
});

test('ends the previous session when the client signs in again', async () => {
  const at = await stage();
  const client = await setUp(at);
  const copy = browser(at, { cookie: client.cookie as string });
  await client.post('password/login', { password: PASSWORD });
  expect((await client.call('GET', '/api/accounts')).status).toBe(200);
  expect((await copy.call('GET', '/api/accounts')).status).toBe(401);
});

test('ends a session after 12 hours even if the browser keeps the cookie', async () => {
  const at = await stage();
  const client = await setUp(at);
  pass(at, 12 * HOUR - 1);
  expect((await client.call('GET', '/api/accounts')).status).toBe(200);
  pass(at, 1);
  expect(shown(await client.call('GET', '/api/accounts'))).toEqual([401, 'authentication_required']);
});

test('ignores a cookie that was altered or made elsewhere or for another purpose', async () => {
  const at = await stage();
  const client = await setUp(at);
  const other = await setUp(await stage());
  const { body } = await client.post('totp/setup/start');
  const [name = '', value = ''] = (client.cookie as string).split('=');
  const last = value.at(-9) === 'A' ? 'B' : 'A';
  for (const cookie of [
    other.cookie as string,
    `${name}=${value.slice(0, -9)}${last}${value.slice(-8)}`,
    `${name}=${value.slice(0, 40)}`,
    `${name}=${body.setupToken}`,
    `${name}=`,
    `${name}=${Buffer.from('{"sessionId":"x"}').toString('base64url')}`,
  ]) {
    const answer = await browser(at, { cookie }).call('GET', '/api/accounts');
    expect(shown(answer)).toEqual([401, 'authentication_required']);
  }
});

test('rejects copies of the cookie after signing out', async () => {
  const at = await stage();
  const client = await setUp(at);
  const copy = browser(at, { cookie: client.cookie as string });
  const neighbour = await logIn(at);
  const answer = await client.post('logout');
  expect(shown(answer)).toEqual(DONE);
  expect(answer.headers['set-cookie']).toEqual(['dashboard_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax']);
  expect(shown(await copy.call('GET', '/api/accounts'))).toEqual([401, 'authentication_required']);
  expect((await neighbour.call('GET', '/api/accounts')).status).toBe(200);
  expect(shown(await browser(at).post('logout'))).toEqual(DONE);
});

test('keeps sessions, their ends and used codes across a restart', async () => {
  const folder = temporaryFolder();
  const ends: (() => void | Promise<void>)[] = [];
  const before = await startManagement({}, (end) => ends.unshift(end), folder);
  const first = await setUp(before);
  const [second, third] = [await logIn(before), await logIn(before)];
  const secret = await setUpTotp(before, first);
  const code = codeAt(secret, before.clock.now);
  expect((await first.post('totp/verify', { code })).status).toBe(200);
  const copy = second.cookie as string;
  await second.post('logout');
  for (const end of ends) await end();

  const after = await startManagement({}, undefined, folder);
  after.clock.now = before.clock.now;
  const cookieOf = ({ cookie }: { cookie: string | undefined }) => ({ cookie: cookie as string });
  const survivor = browser(after, cookieOf(first));
  expect((await survivor.call('GET', '/api/dashboard-auth/session')).body).toEqual(
    state({ isTotpConfigured: true, isTotpVerified: true }),
  );
  expect((await browser(after, cookieOf(third)).call('GET', '/api/accounts')).status).toBe(200);
  expect((await browser(after, { cookie: copy }).call('GET', '/api/accounts')).status).toBe(401);
  expect(shown(await browser(after, cookieOf(third)).post('totp/verify', { code }))).toEqual([
    400,
    'totp_invalid_code',
  ]);
});

test('requires a session for all but sign-in, sign-out and session state', async () => {
  const at = await stage();
  await setUp(at);
  for (const [method, path, body] of [
    ['POST', 'password/change', { currentPassword: PASSWORD, newPassword: 'battery staple' }],
    ['DELETE', 'password', { password: PASSWORD }],
    ['POST', 'totp/setup/start'],
    ['POST', 'totp/setup/confirm', { setupToken: 'x', code: '123456' }],
    ['POST', 'totp/verify', { code: '123456' }],
    ['POST', 'totp/disable'],
  ] as const) {
    const answer = await at.call(method, `/api/dashboard-auth/${path}`, { body });
    expect([path, ...shown(answer)]).toEqual([path, 401, 'authentication_required']);
  }
});

test('refuses sign-in and sign-out from pages of other origins', async () => {
  const at = await stage();
  const client = await setUp(at);
  const headers = { origin: 'https://evil.example' };
  for (const [path, body] of [
    ['password/login', { password: PASSWORD }],
    ['logout', {}],
    ['totp/disable', {}],
  ] as const) {
    const answer = await client.call('POST', `/api/dashboard-auth/${path}`, { headers, body });
    expect(shown(answer)).toEqual([403, 'cross_origin']);
  }
  expect((await client.call('GET', '/api/accounts')).status).toBe(200);
});
