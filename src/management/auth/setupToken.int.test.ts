import { expect, test } from 'vitest';
import { addressOf, browser, PASSWORD, setUp } from '../../../test/support/browser.ts';
import { startManagement } from '../../../test/support/management.ts';
import { REMOTE, sessionState, startStage, statusAndResult } from './authStage.support.ts';
import { createSetupToken } from './setupToken.ts';

const withToken = async (configured?: string) => {
  const announced: string[] = [];
  const tokens = ['first-token', 'second-token'];
  const stage = await startManagement({
    connection: { remoteAddress: addressOf },
    setupToken: { matches: (given) => token?.matches(given) ?? false },
  });
  const token = createSetupToken({
    hot: stage.hot,
    configured,
    newToken: () => tokens.shift() as string,
    announce: (made) => announced.push(made),
  });
  return { stage, announced };
};

test('requires the set-up token for the first password from another machine', async () => {
  const { stage, announced } = await withToken();
  const remote = browser(stage, REMOTE);
  const without = await remote.post('password/setup', { password: PASSWORD });
  expect(statusAndResult(without)).toEqual([401, 'authentication_required']);
  expect(without.body.error.message).toMatch(/setup_token/);
  const wrong = await remote.post('password/setup', { password: PASSWORD, setup_token: 'guess' });
  expect([...statusAndResult(wrong), wrong.body.error.message]).toEqual([
    401,
    'invalid_credentials',
    'The setup_token is wrong',
  ]);
  expect(announced).toEqual(['first-token']);
  const right = await remote.post('password/setup', { password: PASSWORD, setup_token: 'first-token' });
  expect(statusAndResult(right)).toEqual([200, sessionState()]);
  expect((await remote.call('GET', '/api/accounts')).status).toBe(200);
});

test('generates a new set-up token when the password is removed', async () => {
  const { stage, announced } = await withToken();
  const client = await setUp(stage);
  await client.call('DELETE', '/api/dashboard-auth/password', { body: { password: PASSWORD } });
  expect(announced).toEqual(['first-token', 'second-token']);
  const sent = (setup_token: string) =>
    browser(stage, REMOTE).post('password/setup', { password: PASSWORD, setup_token });
  expect((await sent('first-token')).status).toBe(401);
  expect((await sent('second-token')).status).toBe(200);
});

test('does not announce a configured set-up token', async () => {
  const { stage, announced } = await withToken('of the operator');
  const body = { password: PASSWORD, setupToken: 'of the operator' };
  expect((await browser(stage, REMOTE).post('password/setup', body)).status).toBe(200);
  expect(announced).toEqual([]);
});

test('throttles attempts to guess the set-up token', async () => {
  const { stage } = await withToken();
  const guess = (setup_token: string) =>
    browser(stage, REMOTE).post('password/setup', { password: PASSWORD, setup_token });
  for (let n = 0; n < 8; n++) expect((await guess(`guess ${n}`)).status).toBe(401);
  expect((await guess('first-token')).status).toBe(429);
});

test('tells remote clients only how to set the first password', async () => {
  const stage = await startStage();
  const remote = browser(stage, REMOTE);
  for (const path of ['password/login', 'password/change', 'totp/verify', 'totp/setup/start', 'totp/disable']) {
    const response = await remote.post(path, {});
    expect([path, ...statusAndResult(response)]).toEqual([path, 401, 'authentication_required']);
  }
  const login = await remote.post('password/login', { password: PASSWORD });
  expect(statusAndResult(login)).toEqual([401, 'authentication_required']);
  expect(login.body.error.message).toMatch(/until a password is set.*setup_token/);
  expect((await remote.call('GET', '/api/dashboard-auth/session')).status).toBe(200);
});
