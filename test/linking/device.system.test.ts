import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Gateway, startGateway } from '../support/gateway.ts';
import type { SimulatedAccount } from '../support/provider/account.ts';
import { errorJson } from '../support/provider/http.ts';
import { connectionReset, fullResponse, json } from '../support/provider/scripts.ts';
import { operatorOf } from './operator.ts';

let gateway: Gateway;
let operator: ReturnType<typeof operatorOf>;
let account: SimulatedAccount;
beforeAll(async () => {
  gateway = await startGateway({ accounts: 0 });
  operator = operatorOf(gateway);
});
beforeEach(() => {
  account = gateway.provider.addAccount();
  Object.assign(gateway.provider.authorization.script, {
    interval: '0.1',
    expiresInSeconds: 900,
    sendsExpiresAt: false,
  });
});
afterAll(() => gateway.stop());

const POLL = '/api/accounts/deviceauth/token';
const polls = () => gateway.provider.received.filter(({ path }) => path === POLL);
const begin = (body: Record<string, unknown> = {}) => operator.start({ forceMethod: 'device', ...body });
const refusedStart = async () => {
  const { status, body } = await gateway.api('POST', '/api/oauth/start', { force_method: 'device' });
  return [status, body.error.code, body.error.message];
};

describe('device sign-in', () => {
  test('shows URL and code, and links the account once the code is confirmed', async () => {
    const { provider } = gateway;
    const flow = await begin();
    expect(flow).toEqual({
      flowId: expect.any(String),
      method: 'device',
      authorizationUrl: null,
      callbackUrl: null,
      verificationUrl: `${provider.authUrl}/codex/device`,
      userCode: expect.stringMatching(/^[0-9A-F]{4}-[0-9A-F]{5}$/),
      deviceAuthId: expect.stringMatching(/^deviceauth_/),
      intervalSeconds: 0.1,
      expiresInSeconds: expect.any(Number),
      callback_problem: null,
    });
    expect(flow.expiresInSeconds).toBeGreaterThan(890);
    const before = polls().length;
    await provider.until(() => polls().length >= before + 2);
    expect((await gateway.api('POST', '/api/oauth/complete', { deviceAuthId: flow.deviceAuthId })).body).toMatchObject({
      status: 'pending',
    });
    provider.authorization.approve(flow.userCode, account);
    const status = await operator.waitUntilEnded(flow.flowId);
    expect(status).toMatchObject({ status: 'success', outcome: 'imported', method: 'device', errorMessage: null });
    expect((await operator.accounts()).map(({ email }: { email: string }) => email)).toContain(account.email);
    expect(operator.exchanges().at(-1)).toMatchObject({ redirect_uri: `${provider.authUrl}/deviceauth/callback` });
    const [received] = gateway.events('AccountLinkCodeReceived').slice(-1);
    expect(received?.data).toEqual({ linkId: flow.flowId, by: 'device' });
  });

  test('polls with the codes from the provider until the sign-in ends', async () => {
    const flow = await begin();
    const before = polls().length;
    await gateway.provider.until(() => polls().length > before);
    expect(polls().at(-1)?.json).toEqual({ device_auth_id: flow.deviceAuthId, user_code: flow.userCode });
    await operator.cancel(flow.flowId);
    await gateway.provider.until(() => polls().every(({ ended }) => ended));
    const after = polls().length;
    const next = await begin();
    await gateway.provider.until(() => polls().length > after + 2);
    const asked = polls().slice(after);
    expect(new Set(asked.map(({ json: body }) => (body as { user_code: string }).user_code))).toEqual(
      new Set([next.userCode]),
    );
    await operator.cancel(next.flowId);
  });

  test('signs in an account again and refuses another one', async () => {
    const id = await gateway.importAccount(account);
    const flow = await begin({ accountId: id });
    gateway.provider.authorization.approve(flow.userCode, account);
    expect(await operator.waitUntilEnded(flow.flowId)).toMatchObject({ outcome: 'replaced', account_id: id });
    const again = await begin({ accountId: id });
    gateway.provider.authorization.approve(again.userCode, gateway.provider.addAccount());
    expect(await operator.waitUntilEnded(again.flowId)).toMatchObject({ status: 'error', error_code: 'wrong_account' });
  });

  test('fails when access is denied', async () => {
    const flow = await begin();
    gateway.provider.authorization.deny(flow.userCode);
    expect(await operator.waitUntilEnded(flow.flowId)).toMatchObject({ status: 'error', error_code: 'access_denied' });
  });

  test.each([false, true])('expires unless the code is entered (end given as a time: %s)', async (sendsExpiresAt) => {
    Object.assign(gateway.provider.authorization.script, { expiresInSeconds: 1, sendsExpiresAt });
    const flow = await begin();
    expect(flow.expiresInSeconds).toBeLessThanOrEqual(1);
    const status = await operator.waitUntilEnded(flow.flowId);
    expect(status).toMatchObject({ status: 'error', error_code: 'expired' });
    expect(status.errorMessage).toMatch(/expired/);
    expect(gateway.events('AccountLinkExpired').map(({ data }) => data.linkId)).toContain(flow.flowId);
  });

  test('links two accounts at the same time', async () => {
    const other = gateway.provider.addAccount();
    const [first, second] = [await begin(), await begin()];
    gateway.provider.authorization.approve(second.userCode, other);
    const two = await operator.waitUntilEnded(second.flowId);
    expect(await operator.statusOf(first.flowId)).toMatchObject({ status: 'pending' });
    gateway.provider.authorization.approve(first.userCode, account);
    const one = await operator.waitUntilEnded(first.flowId);
    const emailOf = async (id: string) =>
      (await operator.accounts()).find(({ account_id }: { account_id: string }) => account_id === id)?.email;
    expect([await emailOf(one.account_id), await emailOf(two.account_id)]).toEqual([account.email, other.email]);
  });

  test('continues after temporary errors', async () => {
    const { nextPolls } = gateway.provider.authorization.script;
    nextPolls.push(
      errorJson(400, { message: 'Not yet', code: 'authorization_pending' }),
      json(200, { status: 'pending' }),
      errorJson(503, { message: 'Overloaded', code: 'server_error' }),
      connectionReset(),
    );
    const flow = await begin();
    gateway.provider.authorization.approve(flow.userCode, account);
    expect(await operator.waitUntilEnded(flow.flowId)).toMatchObject({ status: 'success' });
    expect(nextPolls).toEqual([]);
    expect(gateway.output.filter((line) => line.includes(flow.flowId))).toHaveLength(1);
  });

  test.each([
    ['an unknown error', errorJson(400, { message: 'No', code: 'device_gone' }), 'device_gone'],
    ['an empty object', json(200, {}), 'invalid_response'],
    ['an HTML page', fullResponse(200, 'text/html', '<html>'), 'invalid_response'],
  ])('fails on %s', async (_name, script, code) => {
    gateway.provider.authorization.script.nextPolls.push(script);
    const flow = await begin();
    expect(await operator.waitUntilEnded(flow.flowId)).toMatchObject({ status: 'error', error_code: code });
  });

  test('accepts tokens that arrive without a code', async () => {
    const { access_token, refresh_token, id_token } = account.authFile().tokens;
    gateway.provider.authorization.script.nextPolls.push(json(200, { access_token, refresh_token, id_token }));
    const before = operator.exchanges().length;
    const flow = await begin();
    expect(await operator.waitUntilEnded(flow.flowId)).toMatchObject({ status: 'success', outcome: 'imported' });
    expect(operator.exchanges().length).toBe(before);
  });

  test('requests a device code again after an overload', async () => {
    gateway.provider.authorization.script.nextUserCodes.push(errorJson(503, { message: 'Overloaded' }));
    await operator.cancel((await begin()).flowId);
  });

  test.each([
    ['404', errorJson(404, { message: 'Not found' }), 'device_auth_unavailable', /Sign in by browser instead/],
    ['400', errorJson(400, { message: 'No', code: 'unknown_client' }), 'device_auth_failed', /unknown_client/],
    ['malformed response', json(200, { user_code: 1 }), 'device_auth_failed', /invalid_response/],
  ])('refuses to start when the provider returns no device code (%s)', async (_name, script, code, message) => {
    gateway.provider.authorization.script.nextUserCodes.push(script);
    const before = gateway.events('AccountLinkBegun').length;
    expect(await refusedStart()).toEqual([502, code, expect.stringMatching(message)]);
    expect(gateway.events('AccountLinkBegun')).toHaveLength(before);
  });
});

test('requests one device code for repeats with the same idempotency key', async () => {
  const start = async () => {
    const response = await fetch(`${gateway.url}/api/oauth/start`, {
      method: 'POST',
      headers: { 'idempotency-key': 'device-1', 'content-type': 'application/json' },
      body: '{"forceMethod":"device"}',
    });
    // biome-ignore lint/suspicious/noExplicitAny: tests read any field
    return (await response.json()) as any;
  };
  const [first, second] = [await start(), await start()];
  expect(second).toEqual({ ...first, expiresInSeconds: expect.any(Number) });
  await operator.cancel(first.flowId);
});
