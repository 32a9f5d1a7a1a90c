import { expect, test } from 'vitest';
import { addressOf, browser, PASSWORD, setUp } from '../../../test/support/browser.ts';
import { startManagement } from '../../../test/support/management.ts';
import { ELSEWHERE, shown, stage, state } from './authStage.support.ts';
import { createSetupToken } from './setupToken.ts';

const withToken = async (configured?: string) => {
  const announced: string[] = [];
  const tokens = ['first-token', 'second-token'];
  const at = await startManagement({
    connection: { remoteAddress: addressOf },
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

test('requires the set-up token for the first password from another machine', async () => {
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

test('generates a new set-up token when the password is removed', async () => {
  const { at, announced } = await withToken();
  const client = await setUp(at);
  await client.call('DELETE', '/api/dashboard-auth/password', { body: { password: PASSWORD } });
  expect(announced).toEqual(['first-token', 'second-token']);
  const sent = (setup_token: string) =>
    browser(at, ELSEWHERE).post('password/setup', { password: PASSWORD, setup_token });
  expect((await sent('first-token')).status).toBe(401);
  expect((await sent('second-token')).status).toBe(200);
});

test('does not announce a configured set-up token', async () => {
  const { at, announced } = await withToken('of the operator');
  const body = { password: PASSWORD, setupToken: 'of the operator' };
  expect((await browser(at, ELSEWHERE).post('password/setup', body)).status).toBe(200);
  expect(announced).toEqual([]);
});

test('throttles attempts to guess the set-up token', async () => {
  const { at } = await withToken();
  const guess = (setup_token: string) =>
    browser(at, ELSEWHERE).post('password/setup', { password: PASSWORD, setup_token });
  for (let n = 0; n < 8; n++) expect((await guess(`guess ${n}`)).status).toBe(401);
  expect((await guess('first-token')).status).toBe(429);
});

test('tells remote clients only how to set the first password', async () => {
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
