import { expect, test } from 'vitest';
import {
  addressOf,
  browser,
  codeAt,
  logIn,
  PASSWORD,
  requireTotp,
  settings,
  setUp,
  setUpTotp,
} from '../../../test/support/browser.ts';
import type { Answer } from '../../../test/support/call.ts';
import { type Stage, startManagement, temporaryFolder } from '../../../test/support/management.ts';
import { HOUR, later, NOW } from '../../../test/support/specification.ts';
import type { Instant } from '../../domain/brands.ts';
import { createSetupToken } from './setupToken.ts';

const stage = () => startManagement({ remoteAddress: addressOf });
const shown = ({ status, body }: Answer) => [status, body?.error?.code ?? body];
const DONE = [200, { status: 'ok' }];
const state = (changes: object = {}) => ({
  isPasswordConfigured: true,
  isPasswordVerified: true,
  isTotpConfigured: false,
  isTotpVerified: false,
  isTotpRequiredOnLogin: false,
  ...changes,
});
const pass = (stage: Stage, ms: number) => {
  stage.clock.now = (stage.clock.now + ms) as Instant;
};
const events = async ({ log }: Stage) => {
  const all: { type: string; data: unknown; stream: string; metadata: { actor: unknown } }[] = [];
  for await (const event of log.readAll(0 as never)) all.push(event);
  return all;
};
const ELSEWHERE = { address: '203.0.113.9' };

test('at first there is nothing', async () => {
  const { call } = await stage();
  const answer = await call('GET', '/api/dashboard-auth/session');
  const nothing = state({ isPasswordConfigured: false, isPasswordVerified: false });
  expect([answer.status, answer.body, answer.headers['set-cookie']]).toEqual([200, nothing, undefined]);
});

test('setting the password begins a session, and closes management to everybody else', async () => {
  const at = await stage();
  const caller = browser(at);
  const answer = await caller.post('password/setup', { password: PASSWORD });
  expect(shown(answer)).toEqual([200, state()]);
  expect(shown(await caller.call('GET', '/api/dashboard-auth/session'))).toEqual([200, state()]);
  expect((await caller.call('GET', '/api/accounts')).status).toBe(200);
  expect(shown(await at.call('GET', '/api/accounts'))).toEqual([401, 'authentication_required']);
  expect(shown(await at.call('GET', '/api/settings'))).toEqual([401, 'unauthorized']);
  const stranger = await at.call('GET', '/api/dashboard-auth/session');
  expect(stranger.body).toEqual(state({ isPasswordVerified: false }));
});

test('the cookie is out of reach of scripts and of other sites, and lasts 12 hours', async () => {
  const { call } = await stage();
  const sent = { body: { password: PASSWORD } };
  const { headers } = await call('POST', '/api/dashboard-auth/password/setup', sent);
  expect(headers['set-cookie']).toEqual([
    expect.stringMatching(/^dashboard_session=[\w-]{60,}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/),
  ]);
});

test('the cookie is for https alone where the caller speaks it', async () => {
  const { call } = await startManagement({ isHttps: ({ headers }) => headers['x-test-scheme'] === 'https' });
  const sent = { body: { password: PASSWORD }, headers: { 'x-test-scheme': 'https' } };
  const { headers } = await call('POST', '/api/dashboard-auth/password/setup', sent);
  expect(headers['set-cookie']?.[0]).toMatch(/; Secure$/);
});

test('nothing of the password stands in the log, and its hash is that of scrypt-kdf', async () => {
  const at = await stage();
  await setUp(at);
  const all = JSON.stringify(await events(at));
  expect(all).not.toContain(PASSWORD);
  const [{ data } = { data: undefined }] = await events(at);
  const { passwordHash } = data as { passwordHash: string };
  expect(Buffer.from(passwordHash, 'base64').subarray(0, 6).toString()).toBe('scrypt');
});

test('the password is set once, also by two at the same time', async () => {
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

test.each([
  ['password/setup', {}, 'password is missing'],
  ['password/setup', { password: 12345678 }, 'password must be a string'],
  ['password/setup', { password: '1234567' }, 'password must have at least 8 characters'],
  ['password/setup', { password: '👍👍👍👍' }, 'password must have at least 8 characters'],
  ['password/setup', { password: `long\ud800horse` }, 'password must be well-formed Unicode'],
  ['password/setup', { password: 'x'.repeat(1_025) }, 'password must have at most 1024 characters'],
  ['password/setup', { password: PASSWORD, pin: '1' }, 'pin is not a known field'],
  ['password/setup', [], 'The body must be a JSON object'],
])('%s refuses %j: %s', async (path, body, message) => {
  const answer = await browser(await stage()).post(path, body);
  expect([answer.status, answer.body]).toEqual([400, { error: { code: 'validation_error', message } }]);
});

test.each([
  ['password/login', {}, 'password is missing'],
  ['password/change', {}, 'currentPassword is missing'],
  ['password/change', { currentPassword: PASSWORD }, 'newPassword is missing'],
  [
    'password/change',
    { currentPassword: PASSWORD, newPassword: 'short' },
    'newPassword must have at least 8 characters',
  ],
  ['totp/setup/confirm', { code: '123456' }, 'setupToken is missing'],
  ['totp/setup/confirm', { setupToken: 'x', code: 123456 }, 'code must be a string'],
  ['totp/setup/confirm', { setupToken: 'x', code: '12345' }, 'code must be 6 digits'],
  [
    'totp/setup/confirm',
    { setupToken: 'x', code: '123456' },
    'setupToken is not valid, or no longer so; begin again with totp/setup/start',
  ],
  ['totp/verify', { code: '12345a' }, 'code must be 6 digits'],
])('with a session, %s refuses %j: %s', async (path, body, message) => {
  const at = await stage();
  const answer = await (await setUp(at)).post(path, body);
  expect([answer.status, answer.body]).toEqual([400, { error: { code: 'validation_error', message } }]);
});

test('a password of 8 letters will do, in whatever way a keyboard composes them', async () => {
  const at = await stage();
  await browser(at).post('password/setup', { password: 'Zürich 8'.normalize('NFD') });
  expect((await browser(at).post('password/login', { password: 'Zürich 8'.normalize('NFC') })).status).toBe(200);
  expect((await browser(at).post('password/login', { password: ' Zürich 8 ' })).status).toBe(401);
});

test('without a password there is nothing to sign in to, change or set up', async () => {
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

test('the right password begins a session, a wrong one does not', async () => {
  const at = await stage();
  await setUp(at);
  const caller = browser(at);
  const wrong = await caller.post('password/login', { password: `${PASSWORD}!` });
  expect([...shown(wrong), wrong.body.error.message]).toEqual([401, 'invalid_credentials', 'The password is wrong']);
  expect(caller.cookie).toBeUndefined();
  expect(shown(await caller.post('password/login', { password: PASSWORD }))).toEqual([200, state()]);
  expect((await caller.call('GET', '/api/accounts')).status).toBe(200);
});

test('many can sign in at once, from one address as well', async () => {
  const at = await stage();
  await setUp(at);
  const callers = await Promise.all(Array.from({ length: 12 }, () => logIn(at)));
  expect(new Set(callers.map(({ cookie }) => cookie)).size).toBe(12);
  for (const caller of callers) expect((await caller.call('GET', '/api/accounts')).status).toBe(200);
});

test('signing in again ends the session from before', async () => {
  const at = await stage();
  const caller = await setUp(at);
  const copy = browser(at, { cookie: caller.cookie as string });
  await caller.post('password/login', { password: PASSWORD });
  expect((await caller.call('GET', '/api/accounts')).status).toBe(200);
  expect((await copy.call('GET', '/api/accounts')).status).toBe(401);
});

test('a session ends after 12 hours, whatever the browser keeps', async () => {
  const at = await stage();
  const caller = await setUp(at);
  pass(at, 12 * HOUR - 1);
  expect((await caller.call('GET', '/api/accounts')).status).toBe(200);
  pass(at, 1);
  expect(shown(await caller.call('GET', '/api/accounts'))).toEqual([401, 'authentication_required']);
});

test('a cookie that was changed, made elsewhere or made for another purpose is none', async () => {
  const at = await stage();
  const caller = await setUp(at);
  const other = await setUp(await stage());
  const { body } = await caller.post('totp/setup/start');
  const [name = '', value = ''] = (caller.cookie as string).split('=');
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

test('signing out makes copies of the cookie worthless', async () => {
  const at = await stage();
  const caller = await setUp(at);
  const copy = browser(at, { cookie: caller.cookie as string });
  const neighbour = await logIn(at);
  const answer = await caller.post('logout');
  expect(shown(answer)).toEqual(DONE);
  expect(answer.headers['set-cookie']).toEqual(['dashboard_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax']);
  expect(shown(await copy.call('GET', '/api/accounts'))).toEqual([401, 'authentication_required']);
  expect((await neighbour.call('GET', '/api/accounts')).status).toBe(200);
  expect(shown(await browser(at).post('logout'))).toEqual(DONE);
});

test('changing the password ends every session but that of the caller, whose cookie is a new one', async () => {
  const at = await stage();
  const caller = await setUp(at);
  const copy = browser(at, { cookie: caller.cookie as string });
  const neighbour = await logIn(at);
  pass(at, HOUR);
  const answer = await caller.post('password/change', { currentPassword: PASSWORD, newPassword: 'battery staple' });
  expect(shown(answer)).toEqual(DONE);
  expect(answer.headers['set-cookie']?.[0]).toContain('Max-Age=43200;');
  expect((await caller.call('GET', '/api/accounts')).status).toBe(200);
  for (const ended of [copy, neighbour]) {
    expect(shown(await ended.call('GET', '/api/accounts'))).toEqual([401, 'authentication_required']);
    expect((await ended.call('GET', '/api/dashboard-auth/session')).body).toEqual(state({ isPasswordVerified: false }));
  }
  expect((await browser(at).post('password/login', { password: PASSWORD })).status).toBe(401);
  expect((await browser(at).post('password/login', { password: 'battery staple' })).status).toBe(200);
});

test('the password is changed and removed only by who knows it', async () => {
  const at = await stage();
  const caller = await setUp(at);
  const change = { currentPassword: 'something else', newPassword: 'battery staple' };
  expect(shown(await caller.post('password/change', change))).toEqual([401, 'invalid_credentials']);
  const sent = { body: { password: 'something else' } };
  const removed = await caller.call('DELETE', '/api/dashboard-auth/password', sent);
  expect(shown(removed)).toEqual([401, 'invalid_credentials']);
  expect((await logIn(at)).cookie).toBeDefined();
});

test('without the password management is open to this machine again, and to nobody else', async () => {
  const at = await stage();
  const caller = await setUp(at);
  await requireTotp(at, caller);
  await verified(at, caller);
  const sent = { body: { password: PASSWORD } };
  const answer = await caller.call('DELETE', '/api/dashboard-auth/password', sent);
  expect(shown(answer)).toEqual(DONE);
  expect(answer.headers['set-cookie']?.[0]).toContain('Max-Age=0');
  const nothing = state({ isPasswordConfigured: false, isPasswordVerified: false });
  expect((await at.call('GET', '/api/dashboard-auth/session')).body).toEqual(nothing);
  const { body } = await at.call('GET', '/api/settings');
  expect(body).toMatchObject({ totp_required_on_login: false, totp_configured: false });
  expect((await browser(at, ELSEWHERE).call('GET', '/api/settings')).status).toBe(401);
});

test('a copied cookie stays worthless after the password was removed and set again', async () => {
  const at = await stage();
  const caller = await setUp(at);
  const copy = browser(at, { cookie: caller.cookie as string });
  await caller.call('DELETE', '/api/dashboard-auth/password', { body: { password: PASSWORD } });
  await setUp(at);
  expect(shown(await copy.call('GET', '/api/accounts'))).toEqual([401, 'authentication_required']);
});

test('after a restart sessions hold, those that ended do not, and codes stay used up', async () => {
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

/** Verifies TOTP of a caller whose management has it. @returns the code */
async function verified(at: Stage, caller: { post(path: string, body: unknown): Promise<Answer> }, secret?: string) {
  const { totp } = at.hot.state.dashboardAuth;
  const code = codeAt(secret ?? at.vault.open(totp?.secret as never), at.clock.now);
  expect((await caller.post('totp/verify', { code })).status).toBe(200);
  return code;
}

test('TOTP is set up in two steps', async () => {
  const at = await stage();
  const caller = await setUp(at);
  const { body } = await caller.post('totp/setup/start');
  expect(body).toEqual({
    secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
    qrCodeDataUrl: expect.stringMatching(/^data:image\/png;base64,iVBOR/),
    setupToken: expect.any(String),
  });
  expect(body.setupToken).not.toContain(body.secret);
  expect((await caller.call('GET', '/api/dashboard-auth/session')).body).toEqual(state());
  const wrong = codeAt(body.secret, later(10 * 60_000));
  const refused = await caller.post('totp/setup/confirm', { setupToken: body.setupToken, code: wrong });
  expect(shown(refused)).toEqual([400, 'totp_invalid_code']);
  const code = codeAt(body.secret, NOW);
  const answer = await caller.post('totp/setup/confirm', { setupToken: body.setupToken, code });
  expect(shown(answer)).toEqual(DONE);
  expect((await caller.call('GET', '/api/dashboard-auth/session')).body).toEqual(state({ isTotpConfigured: true }));
  expect((await caller.call('GET', '/api/settings')).body.totp_configured).toBe(true);
  expect(JSON.stringify(await events(at))).not.toContain(body.secret);
  expect(shown(await caller.post('totp/setup/start'))).toEqual([409, 'totp_already_configured']);
  const again = await caller.post('totp/setup/confirm', { setupToken: body.setupToken, code });
  expect(shown(again)).toEqual([409, 'totp_already_configured']);
});

test('a setup token belongs to its session, ends after 10 minutes, and works once', async () => {
  const at = await stage();
  const [caller, neighbour] = [await setUp(at), await logIn(at)];
  const confirm = async (who: typeof caller, { secret, setupToken }: { secret: string; setupToken: string }) =>
    shown(await who.post('totp/setup/confirm', { setupToken, code: codeAt(secret, at.clock.now) }));
  const { body: first } = await caller.post('totp/setup/start');
  expect(await confirm(neighbour, first)).toEqual([400, 'validation_error']);
  pass(at, 10 * 60_000);
  expect(await confirm(caller, first)).toEqual([400, 'validation_error']);
  const { body: second } = await caller.post('totp/setup/start');
  expect(await confirm(caller, second)).toEqual(DONE);
  expect(shown(await caller.post('totp/disable'))).toEqual(DONE);
  expect(await confirm(caller, second)).toEqual([400, 'validation_error']);
});

test('TOTP is configured by one of two that try at once', async () => {
  const at = await stage();
  const caller = await setUp(at);
  const starts = await Promise.all([caller.post('totp/setup/start'), caller.post('totp/setup/start')]);
  const confirms = await Promise.all(
    starts.map(({ body: { setupToken, secret } }) =>
      caller.post('totp/setup/confirm', { setupToken, code: codeAt(secret, NOW) }),
    ),
  );
  expect(confirms.map(shown).toSorted()).toEqual([DONE, [409, 'totp_already_configured']]);
});

test('while TOTP is required, the password alone opens nothing but the way to verify', async () => {
  const at = await stage();
  const first = await setUp(at);
  const secret = await requireTotp(at, first);
  const caller = browser(at);
  const pending = state({ isTotpConfigured: true, isTotpRequiredOnLogin: true });
  expect(shown(await caller.post('password/login', { password: PASSWORD }))).toEqual([200, pending]);
  const before = caller.cookie as string;
  for (const [method, path, body] of [
    ['GET', '/api/accounts'],
    ['GET', '/api/settings'],
    ['POST', '/api/dashboard-auth/password/change', { currentPassword: PASSWORD, newPassword: 'battery staple' }],
    ['DELETE', '/api/dashboard-auth/password', { password: PASSWORD }],
    ['POST', '/api/dashboard-auth/totp/setup/start'],
    ['POST', '/api/dashboard-auth/totp/setup/confirm', { setupToken: 'x', code: '123456' }],
    ['POST', '/api/dashboard-auth/totp/disable'],
  ] as const) {
    expect([path, ...shown(await caller.call(method, path, { body }))]).toEqual([path, 401, 'totp_required']);
  }
  pass(at, HOUR);
  const answer = await caller.post('totp/verify', { code: codeAt(secret, at.clock.now) });
  expect(shown(answer)).toEqual([200, { ...pending, isTotpVerified: true }]);
  // The session is another, its end the same.
  expect(answer.headers['set-cookie']?.[0]).toContain('Max-Age=43200;');
  expect(caller.cookie).not.toBe(before);
  expect((await caller.call('GET', '/api/accounts')).status).toBe(200);
  expect((await browser(at, { cookie: before }).call('GET', '/api/accounts')).status).toBe(401);
  pass(at, 11 * HOUR);
  expect(shown(await caller.call('GET', '/api/accounts'))).toEqual([401, 'authentication_required']);
});

test('a session from before TOTP was required has to verify as well', async () => {
  const at = await stage();
  const caller = await setUp(at);
  await requireTotp(at, caller);
  expect(shown(await caller.call('GET', '/api/accounts'))).toEqual([401, 'totp_required']);
  await verified(at, caller);
  expect((await caller.call('GET', '/api/accounts')).status).toBe(200);
});

test('codes of the step before and after are accepted, others are not', async () => {
  const at = await stage();
  const caller = await setUp(at);
  const secret = await setUpTotp(at, caller);
  pass(at, HOUR);
  const verify = async (offsetMs: number) =>
    shown(await caller.post('totp/verify', { code: codeAt(secret, later(offsetMs, at.clock.now)) }))[0];
  expect(await verify(-60_000)).toBe(400);
  expect(await verify(60_000)).toBe(400);
  expect(await verify(-30_000)).toBe(200);
  expect(await verify(0)).toBe(200);
  expect(await verify(30_000)).toBe(200);
});

test('a code is accepted once, and after it none that is older', async () => {
  const at = await stage();
  const caller = await setUp(at);
  const secret = await setUpTotp(at, caller);
  const code = codeAt(secret, at.clock.now);
  expect((await caller.post('totp/verify', { code })).status).toBe(200);
  for (const replayed of [code, codeAt(secret, later(-30_000, at.clock.now))]) {
    expect(shown(await (await logIn(at)).post('totp/verify', { code: replayed }))).toEqual([400, 'totp_invalid_code']);
  }
  pass(at, 30_000);
  expect((await (await logIn(at)).post('totp/verify', { code: codeAt(secret, at.clock.now) })).status).toBe(200);
});

test('the code that set TOTP up is used up', async () => {
  const at = await stage();
  const caller = await setUp(at);
  const { body } = await caller.post('totp/setup/start');
  const code = codeAt(body.secret, NOW);
  await caller.post('totp/setup/confirm', { setupToken: body.setupToken, code });
  expect(shown(await caller.post('totp/verify', { code }))).toEqual([400, 'totp_invalid_code']);
});

test('one code sent by two sessions at once is accepted for one', async () => {
  const at = await stage();
  const callers = [await setUp(at), await logIn(at, ELSEWHERE)] as const;
  const secret = await setUpTotp(at, callers[0]);
  const code = codeAt(secret, at.clock.now);
  const both = await Promise.all(callers.map((caller) => caller.post('totp/verify', { code })));
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 400]);
});

test('TOTP that is not set up can be neither verified nor disabled nor required', async () => {
  const caller = await setUp(await stage());
  expect(shown(await caller.post('totp/verify', { code: '123456' }))).toEqual([400, 'totp_not_configured']);
  expect(shown(await caller.post('totp/disable'))).toEqual([400, 'totp_not_configured']);
  const body = { ...settings, totp_required_on_login: true };
  expect(shown(await caller.call('PUT', '/api/settings', { body }))).toEqual([400, 'invalid_totp_config']);
});

test('disabling TOTP turns the requirement off, and its secret cannot be read any more', async () => {
  const at = await stage();
  const caller = await setUp(at);
  await requireTotp(at, caller);
  await verified(at, caller);
  const sealed = at.hot.state.dashboardAuth.totp?.secret as never;
  expect(shown(await caller.post('totp/disable'))).toEqual(DONE);
  expect((await caller.call('GET', '/api/dashboard-auth/session')).body).toEqual(state());
  expect(() => at.vault.open(sealed)).toThrow();
  expect((await logIn(at)).cookie).toBeDefined();
});

test('without a session only the session, signing in and signing out answer', async () => {
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

test('the ninth attempt within a minute is not looked at, however right it is', async () => {
  const at = await stage();
  await setUp(at);
  const caller = browser(at, ELSEWHERE);
  for (let n = 0; n < 8; n++) {
    expect((await caller.post('password/login', { password: `wrong ${n}` })).status).toBe(401);
    pass(at, 1_000);
  }
  const answer = await caller.post('password/login', { password: PASSWORD });
  expect([...shown(answer), answer.headers['retry-after']]).toEqual([429, 'rate_limit_exceeded', '52']);
  expect((await browser(at, { address: '203.0.113.10' }).post('password/login', { password: PASSWORD })).status).toBe(
    200,
  );
  pass(at, 52_000);
  expect((await caller.post('password/login', { password: PASSWORD })).status).toBe(200);
});

test('a success clears what failed before', async () => {
  const at = await stage();
  await setUp(at);
  for (let round = 0; round < 2; round++) {
    for (let n = 0; n < 7; n++) await browser(at).post('password/login', { password: 'wrong' });
    expect((await browser(at).post('password/login', { password: PASSWORD })).status).toBe(200);
  }
});

test('guesses sent all at once are no more than 8', async () => {
  const at = await stage();
  await setUp(at);
  const many = Array.from({ length: 20 }, () => browser(at).post('password/login', { password: 'wrong' }));
  const statuses = (await Promise.all(many)).map(({ status }) => status);
  expect([401, 429].map((status) => statuses.filter((other) => other === status).length)).toEqual([8, 12]);
});

test.each([
  ['totp/verify', () => ({ code: '000000' })],
  ['password/change', () => ({ currentPassword: 'wrong', newPassword: 'battery staple' })],
])('%s is throttled as well', async (path, body) => {
  const at = await stage();
  const caller = await setUp(at);
  await setUpTotp(at, caller);
  for (let n = 0; n < 8; n++) expect((await caller.post(path, body())).status).not.toBe(429);
  const answer = await caller.post(path, body());
  expect([...shown(answer), answer.headers['retry-after']]).toEqual([429, 'rate_limit_exceeded', '60']);
});

const withToken = async (configured?: string) => {
  const announced: string[] = [];
  const tokens = ['first-token', 'second-token'];
  const at = await startManagement({
    remoteAddress: addressOf,
    setupToken: { matches: (given) => token?.matches(given) ?? false },
  });
  const token = createSetupToken({
    hot: at.hot,
    configured,
    newToken: () => tokens.shift() as string,
    announce: (made) => announced.push(made),
  });
  return { at, announced };
};

test('from another machine the first password takes the set-up token', async () => {
  const { at, announced } = await withToken();
  const stranger = browser(at, ELSEWHERE);
  const without = await stranger.post('password/setup', { password: PASSWORD });
  expect(shown(without)).toEqual([401, 'authentication_required']);
  expect(without.body.error.message).toMatch(/setup_token/);
  const wrong = await stranger.post('password/setup', { password: PASSWORD, setup_token: 'guess' });
  expect([...shown(wrong), wrong.body.error.message]).toEqual([401, 'invalid_credentials', 'The setup_token is wrong']);
  expect(announced).toEqual(['first-token']);
  const right = await stranger.post('password/setup', { password: PASSWORD, setup_token: 'first-token' });
  expect(shown(right)).toEqual([200, state()]);
  expect((await stranger.call('GET', '/api/accounts')).status).toBe(200);
});

test('a token that was made up is made anew when the password is removed', async () => {
  const { at, announced } = await withToken();
  const caller = await setUp(at);
  await caller.call('DELETE', '/api/dashboard-auth/password', { body: { password: PASSWORD } });
  expect(announced).toEqual(['first-token', 'second-token']);
  const sent = (setup_token: string) =>
    browser(at, ELSEWHERE).post('password/setup', { password: PASSWORD, setup_token });
  expect((await sent('first-token')).status).toBe(401);
  expect((await sent('second-token')).status).toBe(200);
});

test('a token of the operator is not printed', async () => {
  const { at, announced } = await withToken('of the operator');
  const body = { password: PASSWORD, setupToken: 'of the operator' };
  expect((await browser(at, ELSEWHERE).post('password/setup', body)).status).toBe(200);
  expect(announced).toEqual([]);
});

test('guesses of the set-up token are throttled', async () => {
  const { at } = await withToken();
  const guess = (setup_token: string) =>
    browser(at, ELSEWHERE).post('password/setup', { password: PASSWORD, setup_token });
  for (let n = 0; n < 8; n++) expect((await guess(`guess ${n}`)).status).toBe(401);
  expect((await guess('first-token')).status).toBe(429);
});

test('while there is no password, callers from elsewhere learn the way in, and nothing else', async () => {
  const at = await stage();
  const stranger = browser(at, ELSEWHERE);
  for (const path of ['password/login', 'password/change', 'totp/verify', 'totp/setup/start', 'totp/disable']) {
    const answer = await stranger.post(path, {});
    expect([path, ...shown(answer)]).toEqual([path, 401, 'authentication_required']);
  }
  const login = await stranger.post('password/login', { password: PASSWORD });
  expect(shown(login)).toEqual([401, 'authentication_required']);
  expect(login.body.error.message).toMatch(/until a password is set.*setup_token/);
  expect((await stranger.call('GET', '/api/dashboard-auth/session')).status).toBe(200);
});

test('a page of another origin can neither sign in nor out', async () => {
  const at = await stage();
  const caller = await setUp(at);
  const headers = { origin: 'https://evil.example' };
  for (const [path, body] of [
    ['password/login', { password: PASSWORD }],
    ['logout', {}],
    ['totp/disable', {}],
  ] as const) {
    const answer = await caller.call('POST', `/api/dashboard-auth/${path}`, { headers, body });
    expect(shown(answer)).toEqual([403, 'cross_origin']);
  }
  expect((await caller.call('GET', '/api/accounts')).status).toBe(200);
});

test('every change says which session made it, from where, with what, and whether TOTP was used', async () => {
  const at = await stage();
  const caller = await setUp(at);
  const headers = { 'user-agent': 'test/1' };
  await caller.call('POST', '/api/firewall/ips', { body: { ip_address: '10.0.0.1' }, headers });
  await setUpTotp(at, caller);
  await verified(at, caller);
  await caller.call('POST', '/api/firewall/ips', { body: { ip_address: '10.0.0.2' }, headers });
  const all = await events(at);
  const allowed = all.filter(({ type }) => type === 'IpAllowed').map(({ metadata }) => metadata.actor);
  const sessionIds = all
    .filter(({ type }) => type === 'SessionBegun' || type === 'SessionTotpVerified')
    .map(({ data }) => (data as { sessionId: string }).sessionId);
  const actor = { kind: 'operator', address: '127.0.0.1', userAgent: 'test/1' };
  expect(allowed).toEqual([
    { ...actor, sessionId: sessionIds[0], usedTotp: false },
    { ...actor, sessionId: sessionIds[1], usedTotp: true },
  ]);
});

test('who signed in and out, and who failed, stands in the log; the throttled are counted', async () => {
  const at = await stage();
  const caller = await setUp(at);
  const stranger = browser(at, ELSEWHERE);
  for (let n = 0; n < 11; n++) await stranger.post('password/login', { password: 'wrong' });
  await caller.post('logout');
  await at.signIns.stop();
  const ofSessions = (await events(at)).filter(({ stream }) => stream.startsWith('sessions-test.'));
  const failed = Array<string>(8).fill('SignInFailed');
  expect(ofSessions.map(({ type }) => type)).toEqual(['SessionBegun', ...failed, 'SessionEnded', 'SignInsThrottled']);
  expect(ofSessions[1]).toMatchObject({
    data: { method: 'password', address: '203.0.113.9' },
    metadata: { actor: { kind: 'operator', address: '203.0.113.9', sessionId: null } },
  });
  expect(ofSessions.at(-1)?.data).toEqual({ address: '203.0.113.9', minute: NOW, count: 3 });
});

test('when the log takes nothing, nobody is told that they are signed in', async () => {
  const at = await stage();
  await setUp(at);
  await at.log.close();
  const answer = await browser(at).post('password/login', { password: PASSWORD });
  expect(shown(answer)).toEqual([503, 'log_unavailable']);
  expect(answer.headers['set-cookie']).toBeUndefined();
});
