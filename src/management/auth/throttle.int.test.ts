import { expect, test } from 'vitest';
import { browser, PASSWORD, setUp, setUpTotp } from '../../../test/support/browser.ts';
import { advanceClock, REMOTE, startStage, statusAndResult } from './authStage.support.ts';

test('refuses the ninth attempt within a minute even if it is correct', async () => {
  const stage = await startStage();
  await setUp(stage);
  const client = browser(stage, REMOTE);
  for (let n = 0; n < 8; n++) {
    expect((await client.post('password/login', { password: `wrong ${n}` })).status).toBe(401);
    advanceClock(stage, 1_000);
  }
  const response = await client.post('password/login', { password: PASSWORD });
  expect([...statusAndResult(response), response.headers['retry-after']]).toEqual([429, 'rate_limit_exceeded', '52']);
  expect(
    (await browser(stage, { address: '203.0.113.10' }).post('password/login', { password: PASSWORD })).status,
  ).toBe(200);
  advanceClock(stage, 52_000);
  expect((await client.post('password/login', { password: PASSWORD })).status).toBe(200);
});

test('clears earlier failures on success', async () => {
  const stage = await startStage();
  await setUp(stage);
  for (let round = 0; round < 2; round++) {
    for (let n = 0; n < 7; n++) await browser(stage).post('password/login', { password: 'wrong' });
    expect((await browser(stage).post('password/login', { password: PASSWORD })).status).toBe(200);
  }
});

test('checks at most 8 attempts that are sent at once', async () => {
  const stage = await startStage();
  await setUp(stage);
  const many = Array.from({ length: 20 }, () => browser(stage).post('password/login', { password: 'wrong' }));
  const statuses = (await Promise.all(many)).map(({ status }) => status);
  expect([401, 429].map((status) => statuses.filter((other) => other === status).length)).toEqual([8, 12]);
});

test.each([
  ['totp/verify', () => ({ code: '000000' })],
  ['password/change', () => ({ currentPassword: 'wrong', newPassword: 'battery staple' })],
])('throttles %s as well', async (path, body) => {
  const stage = await startStage();
  const client = await setUp(stage);
  await setUpTotp(stage, client);
  for (let n = 0; n < 8; n++) expect((await client.post(path, body())).status).not.toBe(429);
  const response = await client.post(path, body());
  expect([...statusAndResult(response), response.headers['retry-after']]).toEqual([429, 'rate_limit_exceeded', '60']);
});
