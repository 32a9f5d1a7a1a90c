import { expect, test } from 'vitest';
import {
  browser,
  codeAt,
  logIn,
  PASSWORD,
  requireTotp,
  settings,
  setUp,
  setUpTotp,
} from '../../../test/support/browser.ts';
import { HOUR, later, NOW } from '../../../test/support/specification.ts';
import { DONE, ELSEWHERE, events, pass, shown, stage, state, verified } from './authStage.support.ts';

test('sets up TOTP in two steps', async () => {
  const at = await stage();
  const client = await setUp(at);
  const { body } = await client.post('totp/setup/start');
  expect(body).toEqual({
    secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
    qrCodeDataUrl: expect.stringMatching(/^data:image\/png;base64,iVBOR/),
    setupToken: expect.any(String),
  });
  expect(body.setupToken).not.toContain(body.secret);
  expect((await client.call('GET', '/api/dashboard-auth/session')).body).toEqual(state());
  const wrong = codeAt(body.secret, later(10 * 60_000));
  const refused = await client.post('totp/setup/confirm', { setupToken: body.setupToken, code: wrong });
  expect(shown(refused)).toEqual([400, 'totp_invalid_code']);
  const code = codeAt(body.secret, NOW);
  const answer = await client.post('totp/setup/confirm', { setupToken: body.setupToken, code });
  expect(shown(answer)).toEqual(DONE);
  expect((await client.call('GET', '/api/dashboard-auth/session')).body).toEqual(state({ isTotpConfigured: true }));
  expect((await client.call('GET', '/api/settings')).body.totp_configured).toBe(true);
  expect(JSON.stringify(await events(at))).not.toContain(body.secret);
  expect(shown(await client.post('totp/setup/start'))).toEqual([409, 'totp_already_configured']);
  const again = await client.post('totp/setup/confirm', { setupToken: body.setupToken, code });
  expect(shown(again)).toEqual([409, 'totp_already_configured']);
});

test('accepts a setup token once, from its own session, within 10 minutes', async () => {
  const at = await stage();
  const [client, neighbour] = [await setUp(at), await logIn(at)];
  const confirm = async (who: typeof client, { secret, setupToken }: { secret: string; setupToken: string }) =>
    shown(await who.post('totp/setup/confirm', { setupToken, code: codeAt(secret, at.clock.now) }));
  const { body: first } = await client.post('totp/setup/start');
  expect(await confirm(neighbour, first)).toEqual([400, 'validation_error']);
  pass(at, 10 * 60_000);
  expect(await confirm(client, first)).toEqual([400, 'validation_error']);
  const { body: second } = await client.post('totp/setup/start');
  expect(await confirm(client, second)).toEqual(DONE);
  expect(shown(await client.post('totp/disable'))).toEqual(DONE);
  expect(await confirm(client, second)).toEqual([400, 'validation_error']);
});

test('configures TOTP for one of two simultaneous requests', async () => {
  const at = await stage();
  const client = await setUp(at);
  const starts = await Promise.all([client.post('totp/setup/start'), client.post('totp/setup/start')]);
  const confirms = await Promise.all(
    starts.map(({ body: { setupToken, secret } }) =>
      client.post('totp/setup/confirm', { setupToken, code: codeAt(secret, NOW) }),
    ),
  );
  expect(confirms.map(shown).toSorted()).toEqual([DONE, [409, 'totp_already_configured']]);
});

test('allows nothing but verification to a session whose TOTP is pending', async () => {
  const at = await stage();
  const first = await setUp(at);
  const secret = await requireTotp(at, first);
  const client = browser(at);
  const pending = state({ isTotpConfigured: true, isTotpRequiredOnLogin: true });
  expect(shown(await client.post('password/login', { password: PASSWORD }))).toEqual([200, pending]);
  const before = client.cookie as string;
  for (const [method, path, body] of [
    ['GET', '/api/accounts'],
    ['GET', '/api/settings'],
    ['POST', '/api/dashboard-auth/password/change', { currentPassword: PASSWORD, newPassword: 'battery staple' }],
    ['DELETE', '/api/dashboard-auth/password', { password: PASSWORD }],
    ['POST', '/api/dashboard-auth/totp/setup/start'],
    ['POST', '/api/dashboard-auth/totp/setup/confirm', { setupToken: 'x', code: '123456' }],
    ['POST', '/api/dashboard-auth/totp/disable'],
  ] as const) {
    expect([path, ...shown(await client.call(method, path, { body }))]).toEqual([path, 401, 'totp_required']);
  }
  pass(at, HOUR);
  const answer = await client.post('totp/verify', { code: codeAt(secret, at.clock.now) });
  expect(shown(answer)).toEqual([200, { ...pending, isTotpVerified: true }]);
  // The session is another, its end the same.
  expect(answer.headers['set-cookie']?.[0]).toContain('Max-Age=43200;');
  expect(client.cookie).not.toBe(before);
  expect((await client.call('GET', '/api/accounts')).status).toBe(200);
  expect((await browser(at, { cookie: before }).call('GET', '/api/accounts')).status).toBe(401);
  pass(at, 11 * HOUR);
  expect(shown(await client.call('GET', '/api/accounts'))).toEqual([401, 'authentication_required']);
});

test('requires verification of sessions that began before TOTP was required', async () => {
  const at = await stage();
  const client = await setUp(at);
  await requireTotp(at, client);
  expect(shown(await client.call('GET', '/api/accounts'))).toEqual([401, 'totp_required']);
  await verified(at, client);
  expect((await client.call('GET', '/api/accounts')).status).toBe(200);
});

test('accepts codes of adjacent steps only', async () => {
  const at = await stage();
  const client = await setUp(at);
  const secret = await setUpTotp(at, client);
  pass(at, HOUR);
  const verify = async (offsetMs: number) =>
    shown(await client.post('totp/verify', { code: codeAt(secret, later(offsetMs, at.clock.now)) }))[0];
  expect(await verify(-60_000)).toBe(400);
  expect(await verify(60_000)).toBe(400);
  expect(await verify(-30_000)).toBe(200);
  expect(await verify(0)).toBe(200);
  expect(await verify(30_000)).toBe(200);
});

test('accepts a code once, and no older code afterwards', async () => {
  const at = await stage();
  const client = await setUp(at);
  const secret = await setUpTotp(at, client);
  const code = codeAt(secret, at.clock.now);
  expect((await client.post('totp/verify', { code })).status).toBe(200);
  for (const replayed of [code, codeAt(secret, later(-30_000, at.clock.now))]) {
    expect(shown(await (await logIn(at)).post('totp/verify', { code: replayed }))).toEqual([400, 'totp_invalid_code']);
  }
  pass(at, 30_000);
  expect((await (await logIn(at)).post('totp/verify', { code: codeAt(secret, at.clock.now) })).status).toBe(200);
});

test('rejects the code that confirmed the set-up', async () => {
  const at = await stage();
  const client = await setUp(at);
  const { body } = await client.post('totp/setup/start');
  const code = codeAt(body.secret, NOW);
  await client.post('totp/setup/confirm', { setupToken: body.setupToken, code });
  expect(shown(await client.post('totp/verify', { code }))).toEqual([400, 'totp_invalid_code']);
});

test('accepts a code from one of two sessions that send it at once', async () => {
  const at = await stage();
  const clients = [await setUp(at), await logIn(at, ELSEWHERE)] as const;
  const secret = await setUpTotp(at, clients[0]);
  const code = codeAt(secret, at.clock.now);
  const both = await Promise.all(clients.map((client) => client.post('totp/verify', { code })));
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 400]);
});

test('refuses to verify, disable or require TOTP that is not set up', async () => {
  const client = await setUp(await stage());
  expect(shown(await client.post('totp/verify', { code: '123456' }))).toEqual([400, 'totp_not_configured']);
  expect(shown(await client.post('totp/disable'))).toEqual([400, 'totp_not_configured']);
  const body = { ...settings, totp_required_on_login: true };
  expect(shown(await client.call('PUT', '/api/settings', { body }))).toEqual([400, 'invalid_totp_config']);
});

test('drops the requirement and destroys the secret when TOTP is disabled', async () => {
  const at = await stage();
  const client = await setUp(at);
  await requireTotp(at, client);
  await verified(at, client);
  const sealed = at.hot.state.dashboardAuth.totp?.secret as never;
  expect(shown(await client.post('totp/disable'))).toEqual(DONE);
  expect((await client.call('GET', '/api/dashboard-auth/session')).body).toEqual(state());
  expect(() => at.vault.open(sealed)).toThrow();
  expect((await logIn(at)).cookie).toBeDefined();
});
