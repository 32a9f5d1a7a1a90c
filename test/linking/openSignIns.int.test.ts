import { createServer } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Gateway, startGateway } from '../support/gateway.ts';
import type { SimulatedAccount } from '../support/provider/account.ts';
import { signInAt } from '../support/provider/client.ts';
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
    expect(linkEventTypes(gateway, flow.flowId)).toEqual(['AccountLinkBegun', 'AccountLinkCancelled']);
  });

  test('is idempotent, and without an id applies to the latest sign-in', async () => {
    const flow = await operator.start();
    expect((await operator.cancel()).body).toMatchObject({ flowId: flow.flowId, error_code: 'cancelled' });
    expect((await operator.cancel()).body).toMatchObject({ flowId: flow.flowId, error_code: 'cancelled' });
    expect(linkEventTypes(gateway, flow.flowId)).toHaveLength(2);
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
  expect(linkEventTypes(gateway, first.flowId)).toEqual(['AccountLinkBegun']);
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
