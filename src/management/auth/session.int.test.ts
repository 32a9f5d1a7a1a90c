import { expect, test } from 'vitest';
import { browser, codeAt, logIn, PASSWORD, setUp, setUpTotp } from '../../../test/support/browser.ts';
import { startManagement, temporaryFolder } from '../../../test/support/management.ts';
import { HOUR } from '../../../test/support/specification.ts';
import { advanceClock, DONE, sessionState, startStage, statusAndResult } from './authStage.support.ts';

test('reports that neither password nor TOTP is configured at first', async () => {
  const { call } = await startStage();
  const response = await call('GET', '/api/dashboard-auth/session');
  const nothing = sessionState({ isPasswordConfigured: false, isPasswordVerified: false });
  expect([response.status, response.body, response.headers['set-cookie']]).toEqual([200, nothing, undefined]);
});

test('sets an HttpOnly, SameSite cookie that lasts 12 hours', async () => {
  const { call } = await startStage();
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
  const stage = await startStage();
  await setUp(stage);
  const client = browser(stage);
  const wrong = await client.post('password/login', { password: `${PASSWORD}!` });
  expect([...statusAndResult(wrong), wrong.body.error.message]).toEqual([
    401,
    'invalid_credentials',
    'The password is wrong',
  ]);
  expect(client.cookie).toBeUndefined();
  expect(statusAndResult(await client.post('password/login', { password: PASSWORD }))).toEqual([200, sessionState()]);
  expect((await client.call('GET', '/api/accounts')).status).toBe(200);
});

test('lets many clients of one address sign in at once', async () => {
  const stage = await startStage();
  await setUp(stage);
  const clients = await Promise.all(Array.from({ length: 12 }, () => logIn(stage)));
  expect(new Set(clients.map(({ cookie }) => cookie)).size).toBe(12);
  for (const client of clients) expect((await client.call('GET', '/api/accounts')).status).toBe(200);
});

test('ends the previous session when the client signs in again', async () => {
  const stage = await startStage();
  const client = await setUp(stage);
  const copy = browser(stage, { cookie: client.cookie as string });
  await client.post('password/login', { password: PASSWORD });
  expect((await client.call('GET', '/api/accounts')).status).toBe(200);
  expect((await copy.call('GET', '/api/accounts')).status).toBe(401);
});

test('ends a session after 12 hours even if the browser keeps the cookie', async () => {
  const stage = await startStage();
  const client = await setUp(stage);
  advanceClock(stage, 12 * HOUR - 1);
  expect((await client.call('GET', '/api/accounts')).status).toBe(200);
  advanceClock(stage, 1);
  expect(statusAndResult(await client.call('GET', '/api/accounts'))).toEqual([401, 'authentication_required']);
});

test('ignores a cookie that was altered or made elsewhere or for another purpose', async () => {
  const stage = await startStage();
  const client = await setUp(stage);
  const other = await setUp(await startStage());
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
    const response = await browser(stage, { cookie }).call('GET', '/api/accounts');
    expect(statusAndResult(response)).toEqual([401, 'authentication_required']);
  }
});

test('rejects copies of the cookie after signing out', async () => {
  const stage = await startStage();
  const client = await setUp(stage);
  const copy = browser(stage, { cookie: client.cookie as string });
  const other = await logIn(stage);
  const response = await client.post('logout');
  expect(statusAndResult(response)).toEqual(DONE);
  expect(response.headers['set-cookie']).toEqual(['dashboard_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax']);
  expect(statusAndResult(await copy.call('GET', '/api/accounts'))).toEqual([401, 'authentication_required']);
  expect((await other.call('GET', '/api/accounts')).status).toBe(200);
  expect(statusAndResult(await browser(stage).post('logout'))).toEqual(DONE);
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
  const sameBrowser = browser(after, cookieOf(first));
  expect((await sameBrowser.call('GET', '/api/dashboard-auth/session')).body).toEqual(
    sessionState({ isTotpConfigured: true, isTotpVerified: true }),
  );
  expect((await browser(after, cookieOf(third)).call('GET', '/api/accounts')).status).toBe(200);
  expect((await browser(after, { cookie: copy }).call('GET', '/api/accounts')).status).toBe(401);
  expect(statusAndResult(await browser(after, cookieOf(third)).post('totp/verify', { code }))).toEqual([
    400,
    'totp_invalid_code',
  ]);
});

test('requires a session for all but sign-in, sign-out and session state', async () => {
  const stage = await startStage();
  await setUp(stage);
  for (const [method, path, body] of [
    ['POST', 'password/change', { currentPassword: PASSWORD, newPassword: 'battery staple' }],
    ['DELETE', 'password', { password: PASSWORD }],
    ['POST', 'totp/setup/start'],
    ['POST', 'totp/setup/confirm', { setupToken: 'x', code: '123456' }],
    ['POST', 'totp/verify', { code: '123456' }],
    ['POST', 'totp/disable'],
  ] as const) {
    const response = await stage.call(method, `/api/dashboard-auth/${path}`, { body });
    expect([path, ...statusAndResult(response)]).toEqual([path, 401, 'authentication_required']);
  }
});

test('refuses sign-in and sign-out from pages of other origins', async () => {
  const stage = await startStage();
  const client = await setUp(stage);
  const headers = { origin: 'https://evil.example' };
  for (const [path, body] of [
    ['password/login', { password: PASSWORD }],
    ['logout', {}],
    ['totp/disable', {}],
  ] as const) {
    const response = await client.call('POST', `/api/dashboard-auth/${path}`, { headers, body });
    expect(statusAndResult(response)).toEqual([403, 'cross_origin']);
  }
  expect((await client.call('GET', '/api/accounts')).status).toBe(200);
});
