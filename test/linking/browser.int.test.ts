import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Gateway, startGateway } from '../support/gateway.ts';
import type { SimulatedAccount } from '../support/provider/account.ts';
import { signInAt } from '../support/provider/client.ts';
import { json } from '../support/provider/scripts.ts';
import { linkEventTypes, operatorOf, visit } from './operator.ts';

let gateway: Gateway;
let operator: ReturnType<typeof operatorOf>;
let account: SimulatedAccount;
beforeAll(async () => {
  gateway = await startGateway({ accounts: 0 });
  operator = operatorOf(gateway);
});
beforeEach(() => {
  account = gateway.provider.addAccount();
});
afterAll(() => gateway.stop());

describe('browser sign-in', () => {
  test('links an account that serves requests immediately', async () => {
    const flow = await operator.start();
    expect(flow).toMatchObject({ method: 'browser', userCode: null, deviceAuthId: null, callback_problem: null });
    expect(flow.expiresInSeconds).toBeGreaterThan(890);
    expect(await operator.statusOf(flow.flowId)).toMatchObject({ status: 'pending', errorMessage: null });

    const page = await operator.signIn(flow, account);
    expect([page.status, page.type]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.text).toContain('The account is linked.');
    const status = await operator.statusOf(flow.flowId);
    expect(status).toMatchObject({ status: 'success', errorMessage: null, outcome: 'imported' });
    const linked = (await operator.accounts()).find(
      ({ account_id }: { account_id: string }) => account_id === status.account_id,
    );
    expect(linked).toMatchObject({ email: account.email, plan_type: 'plus', status: 'active' });
    expect(linked.auth).toMatchObject({
      access: { state: 'valid' },
      refresh: { state: 'stored' },
      id_token: { state: 'parsed' },
    });
    expect((await gateway.ask()).status).toBe(200);
    expect(linkEventTypes(gateway, flow.flowId)).toEqual([
      'AccountLinkBegun',
      'AccountLinkCodeReceived',
      'AccountImported',
    ]);
  });

  test('sends a PKCE challenge and its verifier with the code (RFC 7636)', async () => {
    const { authorizationUrl, callbackUrl } = await operator.start();
    const url = new URL(authorizationUrl);
    expect(url.origin + url.pathname).toBe(`${gateway.provider.authUrl}/oauth/authorize`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'app_EMoamEEZ73f0CkXaXp7hrann',
      redirect_uri: callbackUrl,
      scope: 'openid profile email offline_access',
      code_challenge: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      code_challenge_method: 'S256',
      state: expect.stringMatching(/^[0-9a-f]{64}$/),
      id_token_add_organizations: 'true',
      codex_cli_simplified_flow: 'true',
      originator: 'svc',
    });
    expect(callbackUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/auth\/callback$/);
    const location = await signInAt(authorizationUrl, account);
    await visit(location);
    expect(operator.exchanges().at(-1)).toEqual({
      grant_type: 'authorization_code',
      client_id: 'app_EMoamEEZ73f0CkXaXp7hrann',
      code: new URL(location).searchParams.get('code'),
      code_verifier: expect.stringMatching(/^[A-Za-z0-9._~-]{43,128}$/),
      redirect_uri: callbackUrl,
    });
  });

  test('listens on the callback port only while a sign-in is open', async () => {
    const flow = await operator.start();
    expect((await visit(`${flow.callbackUrl}?nothing`)).status).toBe(404);
    await operator.signIn(flow, account);
    await expect(visit(flow.callbackUrl)).rejects.toThrow();
  });

  test('responds with 404 to anything else on the callback port', async () => {
    const flow = await operator.start();
    const { origin } = new URL(flow.callbackUrl);
    for (const path of [
      '/',
      '/auth/callback',
      '/auth/callback/',
      '/auth/callback?code=x',
      '/health',
      '/api/accounts',
    ]) {
      const page = await visit(origin + path);
      expect([path, page.status, page.type]).toEqual([path, 404, 'text/html; charset=utf-8']);
      const response = await visit(origin + path, 'application/json');
      expect([response.status, JSON.parse(response.text).error.code]).toEqual([404, 'not_found']);
    }
    expect((await fetch(flow.callbackUrl, { method: 'POST', body: 'x' })).status).toBe(404);
    const page = await visit(flow.callbackUrl);
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.headers.get('cache-control')).toBe('no-store');
    await operator.cancel(flow.flowId);
  });

  test('ignores a callback with a wrong state', async () => {
    const flow = await operator.start();
    const location = new URL(await signInAt(flow.authorizationUrl, account));
    const wrong = new URL(location);
    wrong.searchParams.set('state', '0'.repeat(64));
    const missing = new URL(location);
    missing.searchParams.delete('state');
    const twice = new URL(location);
    twice.searchParams.append('state', 'another');
    const denied = new URL(`${flow.callbackUrl}?error=access_denied&state=guessed`);
    for (const url of [wrong, missing, twice, denied]) expect((await visit(url.href)).status).toBe(404);
    expect(await operator.statusOf(flow.flowId)).toMatchObject({ status: 'pending' });
    expect(linkEventTypes(gateway, flow.flowId)).toEqual(['AccountLinkBegun']);
    expect((await visit(location.href)).status).toBe(200);
  });

  test('exchanges a code once, however often the callback arrives', async () => {
    const flow = await operator.start();
    const location = await signInAt(flow.authorizationUrl, account);
    const before = operator.exchanges().length;
    const responses = await Promise.all([1, 2, 3].map(() => visit(location)));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    const { status, body } = await operator.paste(location);
    expect([status, body.status]).toEqual([200, 'success']);
    expect(operator.exchanges().length).toBe(before + 1);
    expect(linkEventTypes(gateway, flow.flowId)).toEqual([
      'AccountLinkBegun',
      'AccountLinkCodeReceived',
      'AccountImported',
    ]);
  });

  test('reports that access was denied at the provider', async () => {
    const flow = await operator.start();
    const page = await operator.signIn(flow, 'deny');
    expect(page.status).toBe(400);
    expect(page.text).toContain('Access was denied at the provider');
    expect(await operator.statusOf(flow.flowId)).toMatchObject({ status: 'error', error_code: 'access_denied' });
    await expect(visit(flow.callbackUrl)).rejects.toThrow();
  });

  test.each([
    ['a provider error', { status: 500, error: 'server_error' }, 'server_error'],
    ['a code that the provider does not accept', { status: 400, error: 'invalid_grant' }, 'invalid_grant'],
    ['a response without a refresh token', json(200, { access_token: 'a', id_token: 'i' }), 'invalid_response'],
    ['a response without tokens', json(200, {}), 'invalid_response'],
    ['a response that is not JSON', json(200, 'tokens'), 'invalid_response'],
  ])('fails with a message on %s', async (_name, token, code) => {
    account.token = token;
    const flow = await operator.start();
    expect((await operator.signIn(flow, account)).status).toBe(400);
    const status = await operator.statusOf(flow.flowId);
    expect(status).toMatchObject({ status: 'error', error_code: code });
    expect(status.errorMessage).toMatch(/start again/);
    expect(linkEventTypes(gateway, flow.flowId)).toEqual([
      'AccountLinkBegun',
      'AccountLinkCodeReceived',
      'AccountLinkFailed',
    ]);
    expect((await operator.accounts()).map(({ email }: { email: string }) => email)).not.toContain(account.email);
  });
});

describe('pasted callback address', () => {
  test('completes the sign-in of a browser on another machine', async () => {
    const flow = await operator.start();
    const location = await signInAt(flow.authorizationUrl, account);
    const { status, body } = await operator.paste(`  ${location}#\n`, flow.flowId);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ status: 'success', errorMessage: null, outcome: 'imported' }),
    ]);
    await expect(visit(flow.callbackUrl)).rejects.toThrow();
    const [received] = gateway.events('AccountLinkCodeReceived').slice(-1);
    expect(received?.data).toMatchObject({ linkId: flow.flowId, by: 'paste' });
  });

  test('accepts a query string alone, and the same address again', async () => {
    const flow = await operator.start();
    const query = new URL(await signInAt(flow.authorizationUrl, account)).search;
    const first = await operator.paste(query);
    expect(await operator.paste(query.slice(1), flow.flowId)).toEqual(first);
    expect(linkEventTypes(gateway, flow.flowId)).toHaveLength(3);
  });

  test.each([
    'http://127.0.0.1:1455/auth/callback?code=a&state=b',
    'http://127.0.0.1:1455/auth/callback',
    'nonsense',
    '?',
    `?state=${'0'.repeat(64)}&error=access_denied`,
  ])('rejects %s and changes nothing', async (callbackUrl) => {
    const { status, body } = await operator.paste(callbackUrl);
    expect([status, body.error.code]).toEqual([400, 'validation_error']);
    expect(body.error.message).toMatch(/^callbackUrl does not belong to this sign-in/);
  });

  test('completes only the sign-in that it belongs to', async () => {
    const [first, second] = [await operator.start(), await operator.start()];
    const location = await signInAt(second.authorizationUrl, account);
    expect((await operator.paste(location, first.flowId)).status).toBe(400);
    expect((await operator.paste(location, 'unknown')).status).toBe(404);
    expect((await operator.paste(location, second.flowId)).body.status).toBe('success');
    await operator.cancel(first.flowId);
  });
});
