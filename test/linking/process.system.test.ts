import { expect, test, vi } from 'vitest';
import type { RunningService } from '../durability/support/serve.ts';
import { openStage, openStageInProcess, type StageOf } from '../durability/support/stage.ts';
import { signInAt } from '../support/provider/client.ts';
import { operatorOf, visit } from './operator.ts';

// Every test starts the service at least once.
vi.setConfig({ testTimeout: 60_000 });

/** A service in its own process, which can be killed. */
const openLinking = async () => linkingOn(await openStage({ accounts: 0 }));

function linkingOn<Stage extends StageOf<RunningService>>(stage: Stage) {
  stage.provider.authorization.script.interval = '0.1';
  const api = async (method: string, path: string, body?: unknown) => ({
    status: 200,
    body: await stage.api.call(method, path, body as object | undefined),
  });
  return { stage, operator: operatorOf({ api, provider: stage.provider }), account: stage.provider.addAccount() };
}

const emails = async ({ api }: StageOf<RunningService>) =>
  (await api.call('GET', '/api/accounts')).accounts.map(({ email }: { email: string }) => email);

test('links accounts by callback, pasted address and device code', async () => {
  const { stage, operator, account } = await openLinking();
  const [second, third] = [stage.provider.addAccount(), stage.provider.addAccount()];
  expect((await operator.signIn(await operator.start(), account)).status).toBe(200);
  const pasted = await operator.start();
  const { body } = await operator.paste(await signInAt(pasted.authorizationUrl, second));
  expect(body).toMatchObject({ status: 'success' });
  const device = await operator.start({ forceMethod: 'device' });
  stage.provider.authorization.approve(device.userCode, third);
  expect(await operator.waitUntilEnded(device.flowId)).toMatchObject({ status: 'success' });
  expect(await emails(stage)).toEqual([account.email, second.email, third.email]);
  expect(await stage.stop()).toMatchObject({ exitCode: 0, stderr: [] });
});

/** Ways in which a service ends: stopped in this process, or its process killed. */
const endings = {
  async 'a stop'() {
    const stage = await openStageInProcess({ accounts: 0 });
    return { ...linkingOn(stage), end: () => stage.stop() };
  },
  async 'kill -9'() {
    const stage = await openStage({ accounts: 0 });
    return { ...linkingOn(stage), end: () => stage.service.kill() };
  },
};
const endingCases = Object.entries(endings);

test.each(endingCases)('resumes a browser sign-in after %s', async (_how, open) => {
  const { stage, operator, account, end } = await open();
  const flow = await operator.start();
  const location = await signInAt(flow.authorizationUrl, account);
  await end();
  await expect(visit(location)).rejects.toThrow();
  await stage.start();
  expect(await operator.statusOf(flow.flowId)).toMatchObject({ status: 'pending' });
  expect((await visit(location)).status).toBe(200);
  expect(await operator.statusOf(flow.flowId)).toMatchObject({ status: 'success', outcome: 'imported' });
  expect(await emails(stage)).toEqual([account.email]);
});

test.each(endingCases)('resumes a device sign-in after %s', async (_how, open) => {
  const { stage, operator, account, end } = await open();
  const flow = await operator.start({ forceMethod: 'device' });
  await end();
  stage.provider.authorization.approve(flow.userCode, account);
  await stage.start();
  expect(await operator.waitUntilEnded(flow.flowId)).toMatchObject({ status: 'success', outcome: 'imported' });
  expect(await emails(stage)).toEqual([account.email]);
});

test('reports a sign-in that was interrupted during the code exchange', async () => {
  const { stage, operator, account } = await openLinking();
  const { provider } = stage;
  provider.authorization.script.nextExchanges.push({
    name: 'signed in, response never comes',
    steps: [{ hold: true }],
  });
  const flow = await operator.start();
  const location = await signInAt(flow.authorizationUrl, account);
  const browser = visit(location).catch(() => 'cut');
  await provider.until(() => operator.exchanges().length === 1);
  await stage.service.kill();
  expect(await browser).toBe('cut');

  await stage.start();
  const status = await operator.statusOf(flow.flowId);
  expect(status).toMatchObject({ status: 'error', error_code: 'interrupted' });
  expect(status.errorMessage).toMatch(/stopped while it completed this sign-in.*start again/);
  const { events } = await stage.api.call('GET', `/api/history?subject=accountLink-${flow.flowId}`);
  expect(events.map(({ type }: { type: string }) => type)).toEqual([
    'AccountLinkFailed',
    'AccountLinkCodeReceived',
    'AccountLinkBegun',
  ]);
  expect(await emails(stage)).toEqual([]);
  // The port is closed and the code is spent; a new sign-in works.
  await expect(visit(location)).rejects.toThrow();
  const { body } = await operator.paste(location);
  expect(body).toMatchObject({ status: 'error', error_code: 'interrupted' });
  expect((await operator.signIn(await operator.start(), account)).status).toBe(200);
  expect(await emails(stage)).toEqual([account.email]);
});

test('keeps the old tokens when signing in again is interrupted', async () => {
  const { stage, operator, account } = await openLinking();
  const { provider } = stage;
  const id = await stage.api.importAccount(account);
  const [before] = (await stage.api.call('GET', '/api/accounts')).accounts;
  provider.authorization.script.nextExchanges.push({
    name: 'signed in, response never comes',
    steps: [{ hold: true }],
  });
  const flow = await operator.start({ accountId: id });
  const browser = operator.signIn(flow, account).catch(() => 'cut');
  await provider.until(() => operator.exchanges().length === 1);
  await stage.service.kill();
  await browser;
  await stage.start();
  const [after] = (await stage.api.call('GET', '/api/accounts')).accounts;
  expect(after).toMatchObject({ account_id: id, status: 'active', auth: before.auth });
  expect(await operator.statusOf(flow.flowId)).toMatchObject({ status: 'error', error_code: 'interrupted' });
});
