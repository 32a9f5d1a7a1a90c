import { expect, test } from 'vitest';
import { browser, PASSWORD, setUp } from '../../../test/support/browser.ts';
import { startStage } from './authStage.support.ts';

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
  const response = await browser(await startStage()).post(path, body);
  expect([response.status, response.body]).toEqual([400, { error: { code: 'validation_error', message } }]);
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
    'setupToken is invalid or has expired; start again with totp/setup/start',
  ],
  ['totp/verify', { code: '12345a' }, 'code must be 6 digits'],
])('with a session, %s refuses %j: %s', async (path, body, message) => {
  const stage = await startStage();
  const response = await (await setUp(stage)).post(path, body);
  expect([response.status, response.body]).toEqual([400, { error: { code: 'validation_error', message } }]);
});
