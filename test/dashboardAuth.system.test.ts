import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startGateway } from './support/gateway.ts';

const PASSWORD = 'correct horse';
const PROXY = { FIREWALL_TRUST_PROXY_HEADERS: 'true', FIREWALL_TRUSTED_PROXY_CIDRS: '127.0.0.0/8,::1/128' };
/** Headers of a reverse proxy that terminates TLS. */
const FORWARDED = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' };

async function stage(env: Record<string, string> = {}) {
  const gateway = await startGateway({ accounts: 0, env });
  onTestFinished(() => gateway.stop());
  const call = async (method: string, path: string, headers: Record<string, string> = {}, body?: unknown) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(gateway.url + path, { method, headers: { ...type, ...headers }, ...sent });
    const set = response.headers.get('set-cookie') ?? '';
    // biome-ignore lint/suspicious/noExplicitAny: tests read any field
    return { status: response.status, body: (await response.json()) as any, set, cookie: set.split(';')[0] ?? '' };
  };
  const post = (path: string, body: unknown, headers = {}) =>
    call('POST', `/api/dashboard-auth/${path}`, headers, body);
  const tokens = () => gateway.output.flatMap((line) => /setup_token (\S+)$/.exec(line)?.slice(1) ?? []);
  return { gateway, call, post, tokens };
}

test('supports set-up, Secure cookies and client addresses behind a TLS proxy', async () => {
  const { gateway, call, post, tokens } = await stage(PROXY);
  const [setup_token = ''] = tokens();
  expect(setup_token).toMatch(/^[\w-]{32}$/);
  expect((await call('GET', '/api/accounts', FORWARDED)).status).toBe(401);
  expect((await post('password/setup', { password: PASSWORD }, FORWARDED)).status).toBe(401);
  const { status, set, cookie } = await post('password/setup', { password: PASSWORD, setup_token }, FORWARDED);
  expect([status, set.endsWith('; HttpOnly; SameSite=Lax; Secure')]).toEqual([200, true]);
  expect((await call('GET', '/api/accounts', { ...FORWARDED, cookie })).status).toBe(200);
  expect((await call('GET', '/api/accounts', FORWARDED)).status).toBe(401);
  await post('password/login', { password: 'wrong' }, FORWARDED);
  const failed = gateway.events('SignInFailed').map(({ data }) => data);
  expect(failed).toEqual([{ method: 'password', address: '203.0.113.9' }]);
});

test('accepts a configured set-up token and does not print it', async () => {
  const { post, tokens } = await stage({ ...PROXY, SVC_SETUP_TOKEN: 'set by the operator' });
  expect(tokens()).toEqual([]);
  const body = { password: PASSWORD, setup_token: 'set by the operator' };
  expect((await post('password/setup', body, FORWARDED)).status).toBe(200);
});

test('treats a forwarding client that is no trusted proxy as remote', async () => {
  const { call, post } = await stage();
  expect((await call('GET', '/api/accounts', FORWARDED)).status).toBe(401);
  const { set } = await post('password/setup', { password: PASSWORD });
  expect(set).not.toContain('Secure');
});

test('keeps sessions and their ends across a restart', async () => {
  const { gateway, call, post, tokens } = await stage();
  const first = await post('password/setup', { password: PASSWORD });
  const second = await post('password/login', { password: PASSWORD });
  await post('logout', {}, { cookie: second.cookie });
  await gateway.restart();
  // Only the first start printed one: a password is set now.
  expect(tokens()).toHaveLength(1);
  expect((await call('GET', '/api/accounts', { cookie: first.cookie })).status).toBe(200);
  expect((await call('GET', '/api/accounts', { cookie: second.cookie })).status).toBe(401);
  expect((await call('GET', '/api/accounts')).status).toBe(401);

  const changed = await post(
    'password/change',
    { currentPassword: PASSWORD, newPassword: 'battery staple' },
    { cookie: first.cookie },
  );
  await gateway.restart();
  expect((await call('GET', '/api/accounts', { cookie: first.cookie })).status).toBe(401);
  expect((await call('GET', '/api/accounts', { cookie: changed.cookie })).status).toBe(200);
  const removed = await call(
    'DELETE',
    '/api/dashboard-auth/password',
    { cookie: changed.cookie },
    { password: 'battery staple' },
  );
  expect(removed.status).toBe(200);
  expect(tokens()).toHaveLength(2);
});

test('writes no password, cookie or TOTP secret to any file of the data folder', async () => {
  const { gateway, post } = await stage();
  const { cookie } = await post('password/setup', { password: PASSWORD });
  const { body } = await post('totp/setup/start', {}, { cookie });
  await post('password/login', { password: 'a wrong password' });
  for (const name of ['log.sqlite', 'log.sqlite-wal', 'vault.sqlite', 'readmodels.sqlite']) {
    const content = readIfExists(join(gateway.folder, name));
    for (const secret of [PASSWORD, 'a wrong password', cookie.split('=')[1] as string, body.secret as string]) {
      expect([name, content.includes(secret)]).toEqual([name, false]);
    }
  }
});

function readIfExists(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}

test('requires no session on the proxy', async () => {
  const { gateway, post } = await stage();
  await post('password/setup', { password: PASSWORD });
  expect((await gateway.ask()).status).toBe(503);
});
