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

test('sets up TOTP in two steps', async () => {
  const stage = await startStage();
  const client = await setUp(stage);
  const { body } = await client.post('totp/setup/start');
  expect(body).toEqual({
    secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
    qrCodeDataUrl: expect.stringMatching(/^data:image\/png;base64,iVBOR/),
    setupToken: expect.any(String),
  });
  expect(body.setupToken).not.toContain(body.secret);
  expect((await client.call('GET', '/api/dashboard-auth/session')).body).toEqual(sessionState());
  const wrong = codeAt(body.secret, later(10 * 60_000));
  const refused = await client.post('totp/setup/confirm', { setupToken: body.setupToken, code: wrong });
  expect(statusAndResult(refused)).toEqual([400, 'totp_invalid_code']);
  const code = codeAt(body.secret, NOW);
  const response = await client.post('totp/setup/confirm', { setupToken: body.setupToken, code });
  expect(statusAndResult(response)).toEqual(DONE);
  expect((await client.call('GET', '/api/dashboard-auth/session')).body).toEqual(
    sessionState({ isTotpConfigured: true }),
  );
  expect((await client.call('GET', '/api/settings')).body.totp_configured).toBe(true);
  expect(JSON.stringify(await allEvents(stage))).not.toContain(body.secret);
  expect(statusAndResult(await client.post('totp/setup/start'))).toEqual([409, 'totp_already_configured']);
  const again = await client.post('totp/setup/confirm', { setupToken: body.setupToken, code });
  expect(statusAndResult(again)).toEqual([409, 'totp_already_configured']);
});

test('accepts a setup token once, from its own session, within 10 minutes', async () => {
  const stage = await startStage();
  const [client, other] = [await setUp(stage), await logIn(stage)];
  const confirm = async (who: typeof client, { secret, setupToken }: { secret: string; setupToken: string }) =>
    statusAndResult(await who.post('totp/setup/confirm', { setupToken, code: codeAt(secret, stage.clock.now) }));
  const { body: first } = await client.post('totp/setup/start');
  expect(await confirm(other, first)).toEqual([400, 'validation_error']);
  advanceClock(stage, 10 * 60_000);
  expect(await confirm(client, first)).toEqual([400, 'validation_error']);
  const { body: second } = await client.post('totp/setup/start');
  expect(await confirm(client, second)).toEqual(DONE);
  expect(statusAndResult(await client.post('totp/disable'))).toEqual(DONE);
  expect(await confirm(client, second)).toEqual([400, 'validation_error']);
});

test('configures TOTP for one of two simultaneous requests', async () => {
  const stage = await startStage();
  const client = await setUp(stage);
  const starts = await Promise.all([client.post('totp/setup/start'), client.post('totp/setup/start')]);
  const confirms = await Promise.all(
    starts.map(({ body: { setupToken, secret } }) =>
      client.post('totp/setup/confirm', { setupToken, code: codeAt(secret, NOW) }),
    ),
  );
  expect(confirms.map(statusAndResult).toSorted()).toEqual([DONE, [409, 'totp_already_configured']]);
});

test('allows nothing but verification to a session whose TOTP is pending', async () => {
  const stage = await startStage();
  const first = await setUp(stage);
  const secret = await requireTotp(stage, first);
  const client = browser(stage);
  const pending = sessionState({ isTotpConfigured: true, isTotpRequiredOnLogin: true });
  expect(statusAndResult(await client.post('password/login', { password: PASSWORD }))).toEqual([200, pending]);
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
    expect([path, ...statusAndResult(await client.call(method, path, { body }))]).toEqual([path, 401, 'totp_required']);
  }
  advanceClock(stage, HOUR);
  const response = await client.post('totp/verify', { code: codeAt(secret, stage.clock.now) });
  expect(statusAndResult(response)).toEqual([200, { ...pending, isTotpVerified: true }]);
  // A new session id with the old expiry.
  expect(response.headers['set-cookie']?.[0]).toContain('Max-Age=43200;');
  expect(client.cookie).not.toBe(before);
  expect((await client.call('GET', '/api/accounts')).status).toBe(200);
  expect((await browser(stage, { cookie: before }).call('GET', '/api/accounts')).status).toBe(401);
  advanceClock(stage, 11 * HOUR);
  expect(statusAndResult(await client.call('GET', '/api/accounts'))).toEqual([401, 'authentication_required']);
});

test('requires verification of sessions that began before TOTP was required', async () => {
  const stage = await startStage();
  const client = await setUp(stage);
  await requireTotp(stage, client);
  expect(statusAndResult(await client.call('GET', '/api/accounts'))).toEqual([401, 'totp_required']);
  await verifyTotp(stage, client);
  expect((await client.call('GET', '/api/accounts')).status).toBe(200);
});

test('accepts codes of adjacent steps only', async () => {
  const stage = await startStage();
  const client = await setUp(stage);
  const secret = await setUpTotp(stage, client);
  advanceClock(stage, HOUR);
  const verify = async (offsetMs: number) =>
    statusAndResult(await client.post('totp/verify', { code: codeAt(secret, later(offsetMs, stage.clock.now)) }))[0];
  expect(await verify(-60_000)).toBe(400);
  expect(await verify(60_000)).toBe(400);
  expect(await verify(-30_000)).toBe(200);
  expect(await verify(0)).toBe(200);
  expect(await verify(30_000)).toBe(200);
});

test('accepts a code once, and no older code afterwards', async () => {
  const stage = await startStage();
  const client = await setUp(stage);
  const secret = await setUpTotp(stage, client);
  const code = codeAt(secret, stage.clock.now);
  expect((await client.post('totp/verify', { code })).status).toBe(200);
  for (const replayed of [code, codeAt(secret, later(-30_000, stage.clock.now))]) {
    expect(statusAndResult(await (await logIn(stage)).post('totp/verify', { code: replayed }))).toEqual([
      400,
      'totp_invalid_code',
    ]);
  }
  advanceClock(stage, 30_000);
  expect((await (await logIn(stage)).post('totp/verify', { code: codeAt(secret, stage.clock.now) })).status).toBe(200);
});

test('rejects the code that confirmed the set-up', async () => {
  const stage = await startStage();
  const client = await setUp(stage);
  const { body } = await client.post('totp/setup/start');
  const code = codeAt(body.secret, NOW);
  await client.post('totp/setup/confirm', { setupToken: body.setupToken, code });
  expect(statusAndResult(await client.post('totp/verify', { code }))).toEqual([400, 'totp_invalid_code']);
});

test('accepts a code from one of two sessions that send it at once', async () => {
  const stage = await startStage();
  const clients = [await setUp(stage), await logIn(stage, REMOTE)] as const;
  const secret = await setUpTotp(stage, clients[0]);
  const code = codeAt(secret, stage.clock.now);
  const both = await Promise.all(clients.map((client) => client.post('totp/verify', { code })));
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 400]);
});

test('refuses to verify, disable or require TOTP that is not set up', async () => {
  const client = await setUp(await startStage());
  expect(statusAndResult(await client.post('totp/verify', { code: '123456' }))).toEqual([400, 'totp_not_configured']);
  expect(statusAndResult(await client.post('totp/disable'))).toEqual([400, 'totp_not_configured']);
  const body = { ...settings, totp_required_on_login: true };
  expect(statusAndResult(await client.call('PUT', '/api/settings', { body }))).toEqual([400, 'invalid_totp_config']);
});

test('drops the requirement and destroys the secret when TOTP is disabled', async () => {
  const stage = await startStage();
  const client = await setUp(stage);
  await requireTotp(stage, client);
  await verifyTotp(stage, client);
  const sealed = stage.hot.state.dashboardAuth.totp?.secret as never;
  expect(statusAndResult(await client.post('totp/disable'))).toEqual(DONE);
  expect((await client.call('GET', '/api/dashboard-auth/session')).body).toEqual(sessionState());
  expect(() => stage.vault.open(sealed)).toThrow();
  expect((await logIn(stage)).cookie).toBeDefined();
});
