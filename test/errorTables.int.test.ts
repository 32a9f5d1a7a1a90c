import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { OpenRequests } from '../src/proxy/exchange/openRequests.ts';
import { authFile } from './support/authFiles.ts';
import { codeAt } from './support/browser.ts';
import { type Gateway, startGateway, validRequest } from './support/gateway.ts';
import { json, type ResponseScript, serverError } from './support/provider/scripts.ts';

/** The proxy's error codes with status and type, one by one (docs/errors.md). */
const PROXY_ERRORS = {
  invalid_request_error: ['invalid_request_error', [400]],
  validation_error: ['invalid_request_error', [422]],
  invalid_api_key: ['authentication_error', [401]],
  model_not_allowed: ['permission_error', [403]],
  insufficient_permissions: ['permission_error', [403]],
  ip_forbidden: ['permission_error', [403]],
  not_found: ['invalid_request_error', [404]],
  rate_limit_exceeded: ['rate_limit_error', [429]],
  server_error: ['server_error', [500]],
  internal_error: ['server_error', [500]],
  not_implemented: ['server_error', [501]],
  upstream_error: ['server_error', [502, 503]],
  no_accounts: ['server_error', [503]],
  model_not_found: ['invalid_request_error', [404]],
} as const;

/** Codes that only the provider sends: relayed with its details and the status of provider failures. */
const RELAYED: ReadonlySet<string> = new Set(['insufficient_permissions', 'server_error']);

/** The error codes of management with their status (docs/errors.md). */
const MANAGEMENT_ERRORS = {
  authentication_required: 401,
  invalid_credentials: 401,
  totp_required: 401,
  totp_invalid_code: 400,
  password_already_configured: 409,
  password_not_configured: 400,
  totp_already_configured: 409,
  totp_not_configured: 400,
  rate_limit_exceeded: 429,
  validation_error: 400,
  invalid_api_key_payload: 400,
  account_not_found: 404,
  invalid_auth_json: 400,
  duplicate_identity_conflict: 409,
  invalid_ip: 400,
  ip_exists: 409,
  ip_not_found: 404,
  invalid_totp_config: 400,
  unauthorized: 401,
  not_found: 404,
} as const;

type ProxyCode = keyof typeof PROXY_ERRORS;
type ManagementCode = keyof typeof MANAGEMENT_ERRORS;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

describe('the proxy', () => {
  const providerResponds = (script: ResponseScript) => {
    gateway.pool[0]?.at.next(script);
    return gateway.ask();
  };
  const error = (code: string, type: string) => ({ error: { message: 'No.', type, code } });
  const withKey = async (fields: object) => {
    const { body: key } = await gateway.api('POST', '/api/api-keys', { name: 'one', ...fields });
    await gateway.set({ api_key_auth_enabled: true });
    return () => gateway.ask(validRequest, { headers: { authorization: `Bearer ${key.key}` } });
  };
  /** No client request should cause an internal error, so a part is made to fail. */
  const failInternally = () => {
    const fail = () => {
      throw new Error('a bug');
    };
    vi.spyOn(OpenRequests.prototype, 'add').mockImplementationOnce(fail);
    return gateway.ask();
  };

  /** Replaces the only account, which is in cool-down after a failure. */
  const replaceAccount = async () => {
    for (const { id } of gateway.pool.splice(0)) await gateway.api('DELETE', `/api/accounts/${id}`);
    const at = gateway.provider.addAccount();
    gateway.pool.push({ at, id: await gateway.importAccount(at) });
  };

  const provoke: Record<ProxyCode, () => Promise<Response>> = {
    invalid_request_error: () => gateway.ask({ ...validRequest, model: 7 }),
    validation_error: () => fetch(`${gateway.url}/backend-api/transcribe`, { method: 'POST', body: new FormData() }),
    async invalid_api_key() {
      await gateway.set({ api_key_auth_enabled: true });
      return gateway.ask();
    },
    model_not_allowed: async () => (await withKey({ allowed_models: ['another'] }))(),
    insufficient_permissions: () => providerResponds(json(403, error('insufficient_permissions', 'permission_error'))),
    async ip_forbidden() {
      await gateway.api('POST', '/api/firewall/ips', { ip_address: '10.0.0.1' });
      return gateway.ask();
    },
    not_found: () => fetch(`${gateway.url}/v1/nothing`),
    async rate_limit_exceeded() {
      const limits = [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 1 }];
      const ask = await withKey({ limits });
      await (await ask()).text();
      return ask();
    },
    server_error: () => providerResponds(serverError()),
    internal_error: failInternally,
    not_implemented: () => providerResponds(json(501, error('not_implemented', 'server_error'))),
    upstream_error: () => providerResponds(serverError({ body: 'html' })),
    async no_accounts() {
      await gateway.api('POST', `/api/accounts/${gateway.pool[0]?.id}/pause`);
      return gateway.ask();
    },
    model_not_found: () => fetch(`${gateway.url}/v1/models/no-such-model`),
  };

  test.each(Object.entries(provoke) as [ProxyCode, () => Promise<Response>][])(
    'responds with %s',
    async (code, ask) => {
      await replaceAccount();
      const response = await ask();
      const body = await response.json();
      const [type, statuses] = PROXY_ERRORS[code];
      expect(body).toMatchObject({ error: { code, type, message: expect.stringMatching(/./) } });
      expect(RELAYED.has(code) ? [502] : statuses).toContain(response.status);
      await gateway.set({ api_key_auth_enabled: false });
      await gateway.api('DELETE', '/api/firewall/ips/10.0.0.1');
    },
  );

  test("relays the provider's no_accounts as 503 and replaces an unreadable error", async () => {
    await replaceAccount();
    const unavailable = await providerResponds(json(500, error('no_accounts', 'server_error')));
    expect([unavailable.status, await unavailable.json()]).toEqual([503, error('no_accounts', 'server_error')]);
    await replaceAccount();
    const unreadable = await providerResponds(serverError({ body: 'html' }));
    const own = { message: 'Upstream error', type: 'server_error', code: 'upstream_error' };
    expect([unreadable.status, await unreadable.json()]).toEqual([502, { error: own }]);
  });
});

describe('management', () => {
  let cookie = '';
  let secret = '';
  const password = 'correct horse';
  const auth = '/api/dashboard-auth';
  const required = { sticky_threads_enabled: true, prefer_earlier_reset_accounts: false };

  const call = async (method: string, path: string, body?: unknown, sentCookie = cookie): Promise<Response> => {
    const isForm = body instanceof FormData;
    const response = await fetch(gateway.url + path, {
      method,
      headers: { cookie: sentCookie, ...(body !== undefined && !isForm && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
    for (const set of response.headers.getSetCookie()) cookie = set.split(';')[0] ?? '';
    return response;
  };
  const imported = (text: string) => {
    const form = new FormData();
    form.set('auth_json', new Blob([text]), 'auth.json');
    return call('POST', '/api/accounts/import', form);
  };
  const twice = async (ask: () => Promise<Response>) => {
    await (await ask()).text();
    return ask();
  };
  const setUp = () => call('POST', `${auth}/password/setup`, { password });
  const code = (afterSteps: number) => codeAt(secret, (Date.now() + afterSteps * 30_000) as never);
  const totpStarted = async () =>
    (await call('POST', `${auth}/totp/setup/start`)).json() as Promise<{ secret: string; setupToken: string }>;

  /** In this order: without a password, with one, with TOTP, with TOTP pending. */
  const rows: [code: ManagementCode, ask: () => Promise<Response>][] = [
    ['password_not_configured', () => call('POST', `${auth}/password/login`, { password })],
    ['validation_error', () => call('POST', `${auth}/password/setup`, { password: 'short' })],
    ['password_already_configured', () => twice(setUp)],
    ['authentication_required', () => call('GET', '/api/accounts', undefined, 'dashboard_session=copied')],
    ['unauthorized', () => call('GET', '/api/settings', undefined, '')],
    ['invalid_credentials', () => call('POST', `${auth}/password/login`, { password: 'wrong horse' })],
    ['totp_not_configured', () => call('POST', `${auth}/totp/disable`)],
    ['invalid_totp_config', () => call('PUT', '/api/settings', { ...required, totp_required_on_login: true })],
    ['invalid_api_key_payload', () => call('POST', '/api/api-keys', { name: '' })],
    ['not_found', () => call('POST', '/api/api-keys/unknown/regenerate')],
    ['account_not_found', () => call('POST', '/api/accounts/unknown/pause')],
    ['invalid_auth_json', () => imported('{}')],
    ['duplicate_identity_conflict', () => twice(() => imported(JSON.stringify(authFile())))],
    ['invalid_ip', () => call('POST', '/api/firewall/ips', { ip_address: '10.0.0' })],
    ['ip_exists', () => twice(() => call('POST', '/api/firewall/ips', { ip_address: '10.0.0.1' }))],
    ['ip_not_found', () => call('DELETE', '/api/firewall/ips/10.0.0.9')],
    [
      'totp_invalid_code',
      async () => {
        const { setupToken } = await totpStarted();
        return call('POST', `${auth}/totp/setup/confirm`, { setupToken, code: '000000' });
      },
    ],
    [
      'totp_already_configured',
      async () => {
        const started = await totpStarted();
        secret = started.secret;
        const { setupToken } = started;
        await (await call('POST', `${auth}/totp/setup/confirm`, { setupToken, code: code(0) })).text();
        return call('POST', `${auth}/totp/setup/start`);
      },
    ],
    [
      'totp_required',
      async () => {
        await (await call('POST', `${auth}/totp/verify`, { code: code(1) })).text();
        await (await call('PUT', '/api/settings', { ...required, totp_required_on_login: true })).text();
        await (await call('POST', `${auth}/password/login`, { password })).text();
        return call('GET', '/api/accounts');
      },
    ],
    [
      'rate_limit_exceeded',
      async () => {
        for (let failures = 0; failures < 8; failures++) {
          await (await call('POST', `${auth}/password/login`, { password: 'wrong horse' })).text();
        }
        return call('POST', `${auth}/password/login`, { password });
      },
    ],
  ];

  test('has a case for every documented code', () =>
    expect(rows.map(([name]) => name).sort()).toEqual(Object.keys(MANAGEMENT_ERRORS).sort()));

  test.each(rows)('responds with %s', async (name, ask) => {
    const response = await ask();
    const body = await response.json();
    expect(body).toEqual({ error: { code: name, message: expect.stringMatching(/./) } });
    expect(response.status).toBe(MANAGEMENT_ERRORS[name]);
  });
});
