import { createServer } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Gateway, startGateway } from '../support/gateway.ts';
import type { SimulatedAccount } from '../support/provider/account.ts';
import { signInAt } from '../support/provider/client.ts';
import { json } from '../support/provider/scripts.ts';
import { operatorOf, visit } from './operator.ts';

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

const countStarted = () => gateway.events('AccountLinkBegun').length;
const typesOf = (flowId: string) =>
  (
    [
      'AccountLinkBegun',
      'AccountLinkCodeReceived',
      'AccountLinkSkipped',
      'AccountLinkFailed',
      'AccountLinkCancelled',
      'AccountImported',
      'AccountTokensReplaced',
    ] as const
  )
    .flatMap((type) => gateway.events(type))
    .filter(({ data }) => data.linkId === flowId)
    .sort((a, b) => a.position - b.position)
    .map(({ type }) => type);

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
    expect(typesOf(flow.flowId)).toEqual(['AccountLinkBegun', 'AccountLinkCodeReceived', 'AccountImported']);
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
    expect(typesOf(flow.flowId)).toEqual(['AccountLinkBegun']);
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
    expect(typesOf(flow.flowId)).toEqual(['AccountLinkBegun', 'AccountLinkCodeReceived', 'AccountImported']);
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
    expect(typesOf(flow.flowId)).toEqual(['AccountLinkBegun', 'AccountLinkCodeReceived', 'AccountLinkFailed']);
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
    expect(typesOf(flow.flowId)).toHaveLength(3);
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

describe('signing in an account again', () => {
  test('replaces the tokens, reactivates the account and keeps everything else', async () => {
    const id = await gateway.importAccount(account);
    account.revoke();
    await gateway.api('POST', `/api/accounts/${id}/pause`);
    await gateway.api('POST', `/api/accounts/${id}/reactivate`);
    const flow = await operator.start({ accountId: id });
    expect(await operator.statusOf(flow.flowId)).toMatchObject({ account_id: id });
    expect((await operator.signIn(flow, account)).text).toContain('signed in again');
    expect(await operator.statusOf(flow.flowId)).toMatchObject({
      status: 'success',
      outcome: 'replaced',
      account_id: id,
    });
    const [listed] = (await operator.accounts()).filter(({ email }: { email: string }) => email === account.email);
    expect(listed).toMatchObject({ account_id: id, status: 'active', deactivation_reason: null });
    expect(typesOf(flow.flowId).at(-1)).toBe('AccountTokensReplaced');
    expect((await gateway.ask()).status).toBe(200);
  });

  test('refuses another account by name and changes nothing', async () => {
    const id = await gateway.importAccount(account);
    const other = gateway.provider.addAccount();
    const tokensOf = async () => {
      const accounts = await operator.accounts();
      return accounts.find(({ account_id }: { account_id: string }) => account_id === id)?.auth;
    };
    const before = await tokensOf();
    const flow = await operator.start({ account_id: id });
    expect((await operator.signIn(flow, other)).status).toBe(400);
    const status = await operator.statusOf(flow.flowId);
    expect(status).toMatchObject({ status: 'error', error_code: 'wrong_account', account_id: id });
    expect(status.errorMessage).toBe(
      `The sign-in was for another account instead of ${account.email}. Nothing was changed: start again and sign in as ${account.email}`,
    );
    expect(await tokensOf()).toEqual(before);
    expect(gateway.events('AccountTokensReplaced').filter(({ data }) => data.accountId === id)).toEqual([]);
    expect((await operator.accounts()).map(({ email }: { email: string }) => email)).not.toContain(other.email);
    expect(typesOf(flow.flowId).at(-1)).toBe('AccountLinkFailed');
  });

  test('refuses another account of the pool by name', async () => {
    const [id] = [await gateway.importAccount(account)];
    const other = gateway.provider.addAccount();
    await gateway.importAccount(other);
    const flow = await operator.start({ accountId: id });
    await operator.signIn(flow, other);
    expect((await operator.statusOf(flow.flowId)).errorMessage).toContain(
      `sign-in was for ${other.email} instead of ${account.email}`,
    );
  });

  test('changes only the seat that signed in, not others of its workspace', async () => {
    const seat = gateway.provider.addAccount({ id: account.id, email: 'seat@example.com' });
    const id = await gateway.importAccount(account);
    const flow = await operator.start({ accountId: id });
    await operator.signIn(flow, seat);
    expect(await operator.statusOf(flow.flowId)).toMatchObject({ error_code: 'wrong_account' });
  });

  test('does not restore an account that was deleted in the meantime', async () => {
    const id = await gateway.importAccount(account);
    const flow = await operator.start({ accountId: id });
    await gateway.api('DELETE', `/api/accounts/${id}`);
    await operator.signIn(flow, account);
    expect(await operator.statusOf(flow.flowId)).toMatchObject({ status: 'error', error_code: 'account_not_found' });
    expect((await operator.accounts()).map(({ email }: { email: string }) => email)).not.toContain(account.email);
  });

  test('refuses an unknown account immediately', async () => {
    const before = countStarted();
    const { status, body } = await gateway.api('POST', '/api/oauth/start', { accountId: 'unknown' });
    expect([status, body.error.code]).toEqual([404, 'account_not_found']);
    expect(countStarted()).toBe(before);
  });
});

describe('known account', () => {
  test('stays unchanged, with a message about how to proceed', async () => {
    const id = await gateway.importAccount(account);
    const flow = await operator.start();
    await operator.signIn(flow, account);
    const status = await operator.statusOf(flow.flowId);
    expect(status).toMatchObject({ status: 'error', error_code: 'duplicate_identity_conflict' });
    expect(status.errorMessage).toMatch(/sign it in again/);
    expect(gateway.events('AccountTokensReplaced').filter(({ data }) => data.accountId === id)).toEqual([]);
  });

  test('gets the new tokens with on_duplicate=replace', async () => {
    const id = await gateway.importAccount(account);
    const flow = await operator.start({ on_duplicate: 'replace' });
    await operator.signIn(flow, account);
    expect(await operator.statusOf(flow.flowId)).toMatchObject({ outcome: 'replaced', account_id: id });
  });

  test('is skipped without an error with import_without_overwrite', async () => {
    const id = await gateway.importAccount(account);
    await gateway.set({ import_without_overwrite: true });
    const flow = await operator.start();
    await gateway.set({ import_without_overwrite: false });
    expect((await operator.signIn(flow, account)).text).toContain('was not changed');
    expect(await operator.statusOf(flow.flowId)).toMatchObject({
      status: 'success',
      outcome: 'skipped',
      account_id: id,
    });
    expect(typesOf(flow.flowId).at(-1)).toBe('AccountLinkSkipped');
  });
});

describe('simultaneous sign-ins', () => {
  test('share one port until the last has ended', async () => {
    const [first, second] = [await operator.start(), await operator.start()];
    expect(second.callbackUrl).toBe(first.callbackUrl);
    const other = gateway.provider.addAccount();
    await operator.signIn(second, other);
    expect(await operator.statusOf(first.flowId)).toMatchObject({ status: 'pending' });
    await operator.signIn(first, account);
    const statuses = await Promise.all([first, second].map(({ flowId }) => operator.statusOf(flowId)));
    expect(statuses.map(({ status }) => status)).toEqual(['success', 'success']);
    expect(statuses[0].account_id).not.toBe(statuses[1].account_id);
    await expect(visit(first.callbackUrl)).rejects.toThrow();
  });

  test('link one account once', async () => {
    const [first, second] = [await operator.start(), await operator.start({ on_duplicate: 'replace' })];
    await Promise.all([operator.signIn(first, account), operator.signIn(second, account)]);
    const linked = (await operator.accounts()).filter(({ email }: { email: string }) => email === account.email);
    expect(linked).toHaveLength(1);
  });

  test('are limited to eight', async () => {
    const flow = [];
    for (let n = 0; n < 8; n++) flow.push(await operator.start());
    const { status, body } = await gateway.api('POST', '/api/oauth/start');
    expect([status, body.error.code]).toEqual([429, 'rate_limit_exceeded']);
    expect(body.error.message).toMatch(/^8 sign-ins are open/);
    for (const { flowId } of flow) await operator.cancel(flowId);
    await operator.cancel((await operator.start()).flowId);
  });
});

describe('cancelling', () => {
  test('closes the port and ignores a later callback', async () => {
    const flow = await operator.start();
    const location = await signInAt(flow.authorizationUrl, account);
    const before = operator.exchanges().length;
    const { status, body } = await operator.cancel(flow.flowId);
    expect([status, body.status, body.error_code]).toEqual([200, 'error', 'cancelled']);
    await expect(visit(location)).rejects.toThrow();
    expect((await operator.paste(location)).body).toMatchObject({ status: 'error', error_code: 'cancelled' });
    expect(operator.exchanges().length).toBe(before);
    expect(typesOf(flow.flowId)).toEqual(['AccountLinkBegun', 'AccountLinkCancelled']);
  });

  test('is idempotent, and without an id applies to the latest sign-in', async () => {
    const flow = await operator.start();
    expect((await operator.cancel()).body).toMatchObject({ flowId: flow.flowId, error_code: 'cancelled' });
    expect((await operator.cancel()).body).toMatchObject({ flowId: flow.flowId, error_code: 'cancelled' });
    expect(typesOf(flow.flowId)).toHaveLength(2);
  });

  test('does not undo a completed sign-in', async () => {
    const flow = await operator.start();
    await operator.signIn(flow, account);
    expect((await operator.cancel(flow.flowId)).body).toMatchObject({ status: 'success' });
  });
});

test('starts one sign-in for repeats with the same idempotency key', async () => {
  const start = async () => {
    const headers = { 'idempotency-key': 'start-1' };
    const response = await fetch(`${gateway.url}/api/oauth/start`, { method: 'POST', headers });
    // biome-ignore lint/suspicious/noExplicitAny: tests read any field
    return (await response.json()) as any;
  };
  const [first, second] = [await start(), await start()];
  expect(second).toEqual({ ...first, expiresInSeconds: expect.any(Number) });
  expect(typesOf(first.flowId)).toEqual(['AccountLinkBegun']);
  await operator.cancel(first.flowId);
});

test('reports an occupied callback port, accepts pasting, and listens again later', async () => {
  const squatter = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => squatter.once('listening', resolve));
  const { port } = squatter.address() as { port: number };
  const ownGateway = await startGateway({ accounts: 0, env: { SVC_OAUTH_CALLBACK_PORT: String(port) } });
  try {
    const ownOperator = operatorOf(ownGateway);
    const flow = await ownOperator.start();
    expect(flow.callbackUrl).toBe(`http://127.0.0.1:${port}/auth/callback`);
    expect(flow.callback_problem).toMatch(new RegExp(`^Port ${port} is in use by another program.*copy the address`));
    const location = await signInAt(flow.authorizationUrl, ownGateway.provider.addAccount());
    expect((await ownOperator.paste(location)).body).toMatchObject({ status: 'success' });
    await new Promise((resolve) => squatter.close(resolve));
    const again = await ownOperator.start();
    expect(again.callback_problem).toBeNull();
    expect((await ownOperator.signIn(again, ownGateway.provider.addAccount())).status).toBe(200);
  } finally {
    squatter.close();
    await ownGateway.stop();
  }
});

test('has nothing to report or cancel before the first sign-in', async () => {
  const fresh = await startGateway({ accounts: 0 });
  try {
    const ownOperator = operatorOf(fresh);
    expect(await ownOperator.statusOf()).toEqual({
      status: 'pending',
      errorMessage: null,
      error_code: null,
      flowId: null,
      method: null,
      account_id: null,
      outcome: null,
      expires_at: null,
    });
    for (const flowId of [undefined, 'unknown']) {
      const { status, body } = await ownOperator.cancel(flowId);
      expect([status, body.error.code]).toEqual([404, 'oauth_flow_not_found']);
    }
  } finally {
    await fresh.stop();
  }
});
