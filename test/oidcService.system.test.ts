import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { setUpAdministrator } from './dashboard/support/people.ts';
import { PASSWORD } from './support/browser.ts';
import { startGateway } from './support/gateway.ts';
import { type OidcGateway, startOidcGateway } from './support/oidc/oidcGateway.ts';
import { oidcVisitor } from './support/oidc/oidcVisitor.ts';
import { OPERATOR_PASSWORD, secretOf } from './support/operators.ts';
import { startProxyProgram } from './support/proxies/proxyProgram.ts';

// Sign-in by OIDC as the settings of a whole service have it.

const SLOW = { timeout: 120_000 };
const ADA = { email: 'ada@example.com', email_verified: true, name: 'Ada' };

/** A client with cookies. */
function client(url: string, cookies = new Map<string, string>()) {
  return async (method: string, path: string, body?: unknown) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: { cookie, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const text = await response.text();
    // biome-ignore lint/suspicious/noExplicitAny: a test reads any field
    const parsed = (text.startsWith('{') ? JSON.parse(text) : {}) as any;
    return { status: response.status, location: response.headers.get('location') ?? '', body: parsed };
  };
}
type Client = ReturnType<typeof client>;

/** @returns where the sign-in leads */
async function signInByOidc(call: Client, subject: string): Promise<string> {
  const { location } = await call('GET', '/api/dashboard-auth/oidc/start');
  const { pathname, search } = await oidcVisitor().signIn(location, subject);
  return (await call('GET', pathname + search)).location;
}

const nameOf = async (call: Client) => (await call('GET', '/api/dashboard-auth/session')).body.operator?.name;

test('ends local sessions and sign-ins of operators with SVC_LOCAL_SIGN_IN=false, and nothing else', SLOW, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-oidc-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const before = await startGateway({ accounts: 0, folder });
  const { invite, join: joinAs } = await setUpAdministrator(before);
  await joinAs('Ada', 'administrator');
  const grace = await invite('Grace', 'operator');
  const cookies = new Map<string, string>();
  const ada = client(before.url, cookies);
  const login = { login: 'Ada', password: OPERATOR_PASSWORD };
  expect((await ada('POST', '/api/dashboard-auth/login', login)).status).toBe(200);
  const { body: token } = await ada('POST', '/api/tokens', { name: 'ci', role: 'administrator' });
  await before.stop();

  const started: OidcGateway = await startOidcGateway({
    ...{ folder, oidcPeople: { ada: ADA, grace: { ...ADA, email: 'grace@example.com', name: 'Grace' } } },
    env: { SVC_LOCAL_SIGN_IN: 'false' },
  });
  const { url } = started.gateway;
  const codeOf = async (method: string, path: string, body?: unknown, call = client(url)) => {
    const { status, body: found } = await call(method, path, body);
    return [status, found.error?.code ?? 'ok'];
  };
  const off = [403, 'local_sign_in_disabled'];
  expect(await codeOf('GET', '/api/profile', undefined, client(url, cookies))).toEqual([
    401,
    'authentication_required',
  ]);
  expect(await codeOf('POST', '/api/dashboard-auth/login', login)).toEqual(off);
  const accept = { token: secretOf(grace.path), password: OPERATOR_PASSWORD };
  expect(await codeOf('POST', '/api/dashboard-auth/invitation/accept', accept)).toEqual(off);
  expect(await codeOf('POST', '/api/dashboard-auth/invitation/passkey/start', { token: accept.token })).toEqual(off);
  const asToken = await fetch(`${url}/api/operators`, { headers: { authorization: `Bearer ${token.token}` } });
  expect(asToken.status).toBe(200);
  const builtIn = client(url);
  expect(await codeOf('POST', '/api/dashboard-auth/password/login', { password: PASSWORD }, builtIn)).toEqual([
    200,
    'ok',
  ]);
  const invited = client(url);
  expect(await signInByOidc(invited, 'grace')).toBe(`${started.publicUrl}/`);
  expect(await nameOf(invited)).toBe('Grace');
});

test('asks the OpenID provider through SVC_PROXY_URL, and refuses sign-in while the proxy is down', SLOW, async () => {
  const proxy = await startProxyProgram({ kind: 'http' });
  onTestFinished(() => proxy.close());
  const started = await startOidcGateway({ oidcPeople: { ada: ADA }, env: { SVC_PROXY_URL: proxy.url } });
  const { gateway, oidc, publicUrl } = started;
  const { invite } = await setUpAdministrator(gateway);
  await invite('Ada', 'auditor');
  const ada = client(gateway.url);
  expect(await signInByOidc(ada, 'ada')).toBe(`${publicUrl}/`);
  expect(await nameOf(ada)).toBe('Ada');
  const { port } = new URL(oidc.issuer);
  expect(proxy.asked).toContain(`localhost:${port}`);
  await proxy.close();
  const other = client(gateway.url);
  expect(await signInByOidc(other, 'ada')).toBe(`${publicUrl}/sign-in?error=oidc_unavailable`);
  expect(await nameOf(other)).toBeUndefined();
  // Never directly instead.
  expect(oidc.calls.filter((path) => path === '/token')).toHaveLength(1);
});
