import { expect, test } from 'vitest';
import { browser, PASSWORD, setUp, setUpTotp } from '../../../test/support/browser.ts';
import { ELSEWHERE, pass, shown, stage } from './authStage.support.ts';

test('refuses the ninth attempt within a minute even if it is correct', async () => {
  const at = await stage();
  await setUp(at);
  const client = browser(at, ELSEWHERE);
  for (let n = 0; n < 8; n++) {
    expect((await client.post('password/login', { password: `wrong ${n}` })).status).toBe(401);
    pass(at, 1_000);
  }
  const answer = await client.post('password/login', { password: PASSWORD });
  expect([...shown(answer), answer.headers['retry-after']]).toEqual([429, 'rate_limit_exceeded', '52']);
  expect((await browser(at, { address: '203.0.113.10' }).post('password/login', { password: PASSWORD })).status).toBe(
    200,
  );
  pass(at, 52_000);
  expect((await client.post('password/login', { password: PASSWORD })).status).toBe(200);
});

test('clears earlier failures on success', async () => {
  const at = await stage();
  await setUp(at);
  for (let round = 0; round < 2; round++) {
    for (let n = 0; n < 7; n++) await browser(at).post('password/login', { password: 'wrong' });
    expect((await browser(at).post('password/login', { password: PASSWORD })).status).toBe(200);
  }
});

test('checks at most 8 attempts that are sent at once', async () => {
  const at = await stage();
  await setUp(at);
  const many = Array.from({ length: 20 }, () => browser(at).post('password/login', { password: 'wrong' }));
  const statuses = (await Promise.all(many)).map(({ status }) => status);
  expect([401, 429].map((status) => statuses.filter((other) => other === status).length)).toEqual([8, 12]);
});

test.each([
  ['totp/verify', () => ({ code: '000000' })],
  ['password/change', () => ({ currentPassword: 'wrong', newPassword: 'battery staple' })],
])('throttles %s as well', async (path, body) => {
  const at = await stage();
  const client = await setUp(at);
  await setUpTotp(at, client);
  for (let n = 0; n < 8; n++) expect((await client.post(path, body())).status).not.toBe(429);
  const answer = await client.post(path, body());
  expect([...shown(answer), answer.headers['retry-after']]).toEqual([429, 'rate_limit_exceeded', '60']);
});
