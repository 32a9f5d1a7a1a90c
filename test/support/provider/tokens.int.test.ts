import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SimulatedAccount } from './account.ts';
import { sendRequest } from './client.ts';
import { claimsOf } from './jwt.ts';
import { type Provider, startProvider } from './provider.ts';
import { serverError } from './scripts.ts';
import type { TokenScript } from './tokenResponse.ts';

let provider: Provider;
let account: SimulatedAccount;
beforeEach(async () => {
  provider = await startProvider();
  account = provider.addAccount({ email: 'ada@example.com', plan: 'pro' });
});
afterEach(() => provider.close());

const grant = (body: object) =>
  fetch(`${provider.authUrl}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

async function refresh(refreshToken: string) {
  const response = await grant({ grant_type: 'refresh_token', client_id: 'app', refresh_token: refreshToken });
  // biome-ignore lint/suspicious/noExplicitAny: the tests read both shapes
  return { status: response.status, body: (await response.json()) as any };
}

test('writes the auth file that Codex writes', () => {
  const { tokens, ...rest } = account.authFile();
  expect(rest).toEqual({ auth_mode: 'chatgpt', OPENAI_API_KEY: null, last_refresh: expect.stringMatching(/Z$/) });
  expect(tokens.account_id).toBe(account.id);
  expect(claimsOf(tokens.id_token)).toMatchObject({
    email: 'ada@example.com',
    'https://api.openai.com/auth': { chatgpt_account_id: account.id, chatgpt_plan_type: 'pro' },
  });
  expect(claimsOf(tokens.access_token).exp).toBeGreaterThan(Date.now() / 1000);
});

test('rotates all three tokens in a refresh, and accepts the new access token', async () => {
  const before = account.authFile().tokens;
  account.expireAccessToken();
  expect((await sendRequest(provider, account)).status).toBe(401);
  const { status, body } = await refresh(before.refresh_token);
  expect(status).toBe(200);
  expect(body.refresh_token).not.toBe(before.refresh_token);
  expect(account.authFile().tokens).toMatchObject({
    access_token: body.access_token,
    refresh_token: body.refresh_token,
  });
  expect((await sendRequest(provider, account)).status).toBe(200);
  expect(account.received.map(({ path }) => path)).toContain('/oauth/token');
});

test('revokes the whole family when a refresh token is used twice', async () => {
  const { refresh_token: first } = account.authFile().tokens;
  const { body } = await refresh(first);
  expect(await refresh(first)).toMatchObject({ status: 401, body: { error: { code: 'refresh_token_reused' } } });
  expect((await sendRequest(provider, account)).status).toBe(401);
  expect(await refresh(body.refresh_token)).toMatchObject({
    status: 401,
    body: { error: { code: 'refresh_token_invalidated' } },
  });
  account.signIn();
  expect((await sendRequest(provider, account)).status).toBe(200);
});

test('expires an access token by the clock', async () => {
  let time = Date.now();
  const other = await startProvider({ now: () => time });
  const guest = other.addAccount({ accessExpiresInSeconds: 60 });
  expect((await sendRequest(other, guest)).status).toBe(200);
  time += 60_000;
  expect((await sendRequest(other, guest)).status).toBe(401);
  await other.close();
});

test('issues the next tokens with a changed plan', async () => {
  account.plan = 'free';
  const { body } = await refresh(account.authFile().tokens.refresh_token);
  expect(claimsOf(body.id_token)).toMatchObject({ 'https://api.openai.com/auth': { chatgpt_plan_type: 'free' } });
});

test.for([
  [{ status: 401, error: 'refresh_token_expired' }, 401, 'refresh_token_expired'],
  [{ status: 503 }, 503, 'server_error'],
] as [TokenScript, number, string][])('fails at the token endpoint as scripted: %o', async ([script, status, code]) => {
  account.token = script;
  const { refresh_token: token } = account.authFile().tokens;
  expect(await refresh(token)).toMatchObject({ status, body: { error: { code } } });
  account.token = 'rotate';
  expect((await refresh(token)).status).toBe(200);
});

test('plays any script at the token endpoint', async () => {
  account.token = serverError({ status: 502, body: 'html' });
  const response = await grant({ grant_type: 'refresh_token', refresh_token: account.authFile().tokens.refresh_token });
  expect([response.status, response.headers.get('content-type')]).toEqual([502, 'text/html']);
});

test('hangs at the token endpoint, and uses up a refresh token before a delayed response', async () => {
  const { refresh_token: token } = account.authFile().tokens;
  for (const script of ['hang', { delayMs: 60_000 }] as const) {
    account.token = script;
    const client = new AbortController();
    const body = JSON.stringify({ grant_type: 'refresh_token', refresh_token: token });
    const hanging = fetch(`${provider.authUrl}/oauth/token`, { method: 'POST', body, signal: client.signal });
    await provider.until(() => account.inFlight === 1);
    client.abort();
    await expect(hanging).rejects.toThrow();
    await provider.until(() => account.inFlight === 0);
    expect(account.received.at(-1)?.aborted).toBe(true);
  }
  account.token = 'rotate';
  expect((await refresh(token)).body.error.code).toBe('refresh_token_reused');
});

test('rejects unknown tokens and other grants', async () => {
  expect((await refresh('rt_unknown')).body.error.code).toBe('refresh_token_invalidated');
  expect((await grant({ grant_type: 'password' })).status).toBe(400);
  expect((await grant({ grant_type: 'refresh_token' })).status).toBe(400);
});

test('accepts a refresh token from before a restart with acceptsAnyToken', async () => {
  const token = account.authFile().tokens.refresh_token;
  const open = await startProvider({ acceptsAnyToken: true });
  const body = JSON.stringify({ grant_type: 'refresh_token', refresh_token: token });
  const response = await fetch(`${open.authUrl}/oauth/token`, { method: 'POST', body });
  expect(response.status).toBe(200);
  expect(open.received[0]?.account).toBe(account.id);
  await open.close();
});
