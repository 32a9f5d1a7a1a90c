import { expect, test, vi } from 'vitest';
import { startManagement, temporaryFolder } from '../../../test/support/management.ts';
import { signInAt } from '../../../test/support/provider/client.ts';
import { errorJson } from '../../../test/support/provider/http.ts';
import { useProvider } from '../../../test/support/provider/useProvider.ts';
import { waitOptions } from '../../../test/support/waitOptions.ts';
import { instant } from '../../domain/core/brands.ts';
import { Refusal } from '../../domain/core/refusal.ts';
import type { HandleCommand } from '../../state/commands/commandHandler.ts';
import type { AccountLinksOptions } from './accountLinks.ts';

const at = useProvider();

/** Starts management whose sign-ins use the simulated provider. */
async function stageWith(
  changes: (parts: AccountLinksOptions) => Partial<AccountLinksOptions> = () => ({}),
  folder?: string,
) {
  const linking = { authBaseUrl: at.provider.authUrl, changes };
  at.provider.authorization.script.interval = '0.1';
  const stage = await startManagement({ linking }, undefined, folder);
  const start = async (body: object = {}) => (await stage.call('POST', '/api/oauth/start', { body })).body;
  const statusOf = async ({ flowId }: { flowId: string }) =>
    (await stage.call('GET', `/api/oauth/status?flowId=${flowId}`)).body;
  const paste = (callbackUrl: string) => stage.call('POST', '/api/oauth/manual-callback', { body: { callbackUrl } });
  const becomes = async (flow: { flowId: string }, status: string) => {
    await vi.waitUntil(async () => (await statusOf(flow)).status === status, { timeout: 10_000, interval: 10 });
    return statusOf(flow);
  };
  return { ...stage, start, statusOf, paste, becomes };
}

/** Commands of which the log refuses the first `times` of this type. */
const failing = (type: string, times: number, commands: AccountLinksOptions['commands']) => {
  const handle: HandleCommand = (subject, id, command, cause) => {
    if ((command as { type: string }).type === type && times-- > 0) throw new Refusal('log_unavailable');
    return commands.handle(subject, id, command, cause);
  };
  return { ...commands, handle };
};

test('expires a browser sign-in without a callback', async () => {
  const stage = await stageWith(() => ({ lifetimeMs: 0 }));
  const flow = await stage.start();
  expect(await stage.becomes(flow, 'error')).toMatchObject({ error_code: 'expired' });
  await expect(fetch(flow.callbackUrl)).rejects.toThrow();
});

test('does not exchange a late code even if no timer has fired', async () => {
  const stage = await stageWith();
  const flow = await stage.start();
  const location = await signInAt(flow.authorizationUrl, at.account);
  stage.clock.now = instant(stage.clock.now + 15 * 60_000);
  const { body } = await stage.paste(location);
  expect(body).toMatchObject({ status: 'error', error_code: 'expired' });
  expect(at.account.received).toEqual([]);
});

test('expires sign-ins at start that ended while the service was down', async () => {
  const folder = temporaryFolder();
  const ends: (() => void | Promise<void>)[] = [];
  const linking = { authBaseUrl: at.provider.authUrl };
  const before = await startManagement({ linking }, (work) => ends.unshift(work), folder);
  const { body: flow } = await before.call('POST', '/api/oauth/start');
  for (const end of ends) await end();
  const later = instant(before.clock.now + 16 * 60_000);
  const after = await startManagement({ linking, startAt: later }, undefined, folder);
  await vi.waitUntil(() => after.hot.state.links.get(flow.flowId)?.progress.kind === 'failed', waitOptions);
  expect(after.hot.state.links.get(flow.flowId)?.progress).toMatchObject({ code: 'expired' });
});

test('retries to record a linked account until the log is available', async () => {
  const stage = await stageWith(({ commands }) => ({ commands: failing('ImportAccount', 3, commands) }));
  const flow = await stage.start();
  const { body } = await stage.paste(await signInAt(flow.authorizationUrl, at.account));
  expect(body).toMatchObject({ status: 'success', outcome: 'imported' });
  expect(stage.reported).toHaveLength(3);
  expect(String(stage.reported[0])).toContain(`Couldn't record the outcome of sign-in ${flow.flowId}`);
  expect(stage.hot.state.accounts.size).toBe(1);
});

test('leaves the code unspent when the log is unavailable, so the browser can retry', async () => {
  const stage = await stageWith(({ commands }) => ({ commands: failing('ReceiveCode', 1, commands) }));
  const flow = await stage.start();
  const location = await signInAt(flow.authorizationUrl, at.account);
  const page = await fetch(location, { headers: { accept: 'text/html' } });
  expect(page.status).toBe(503);
  expect(await page.text()).toContain('Reload this page');
  expect((await fetch(location)).status).toBe(200);
  expect(await stage.statusOf(flow)).toMatchObject({ status: 'success' });
});

test('retries to record a confirmed device code until the log is available', async () => {
  const stage = await stageWith(({ commands }) => ({ commands: failing('ReceiveCode', 2, commands) }));
  const flow = await stage.start({ forceMethod: 'device' });
  at.provider.authorization.approve(flow.userCode, at.account);
  expect(await stage.becomes(flow, 'success')).toMatchObject({ outcome: 'imported' });
});

test('polls less often after slow_down', async () => {
  const stage = await stageWith(() => ({ slowDownMs: 400 }));
  const slowDown = errorJson(400, { message: 'Slow down', code: 'slow_down' });
  at.provider.authorization.script.nextPolls.push(slowDown, slowDown);
  const before = at.provider.received.length;
  const flow = await stage.start({ forceMethod: 'device' });
  const polls = () => at.provider.received.slice(before).filter(({ path }) => path.endsWith('/deviceauth/token'));
  await at.provider.until(() => polls().length === 4);
  const [first, second, third, fourth] = polls().map((poll) => poll.at) as [number, number, number, number];
  expect(second - first).toBeGreaterThanOrEqual(500);
  expect(third - second).toBeGreaterThanOrEqual(900);
  expect(fourth - third).toBeGreaterThanOrEqual(900);
  await stage.call('POST', '/api/oauth/cancel', { body: { flowId: flow.flowId } });
});

test('refuses to cancel or repeat a sign-in during the code exchange', async () => {
  const stage = await stageWith();
  at.account.token = { delayMs: 300 };
  const flow = await stage.start();
  const pasted = stage.paste(await signInAt(flow.authorizationUrl, at.account));
  await vi.waitUntil(() => stage.hot.state.links.get(flow.flowId)?.progress.kind === 'exchanging', waitOptions);
  const { status, body } = await stage.call('POST', '/api/oauth/cancel', { body: { flowId: flow.flowId } });
  expect([status, body.error.code]).toEqual([409, 'conflict']);
  expect(await stage.statusOf(flow)).toMatchObject({ status: 'pending' });
  expect((await pasted).body).toMatchObject({ status: 'success' });
});

test('destroys the device codes when the sign-in ends', async () => {
  const stage = await stageWith();
  const flow = await stage.start({ forceMethod: 'device' });
  const sealed = stage.hot.state.links.get(flow.flowId)?.device?.secrets;
  if (!sealed) throw new Error('nothing sealed');
  expect(JSON.parse(stage.vault.open(sealed))).toEqual({ deviceAuthId: flow.deviceAuthId, userCode: flow.userCode });
  await stage.call('POST', '/api/oauth/cancel', {});
  await vi.waitUntil(() => {
    try {
      stage.vault.open(sealed);
      return false;
    } catch {
      return true;
    }
  }, waitOptions);
});

test('records the pasting client as actor, and the system for a redirect', async () => {
  const stage = await stageWith();
  const flow = await stage.start();
  await stage.paste(await signInAt(flow.authorizationUrl, at.account));
  const actors: unknown[] = [];
  for await (const { type, metadata } of stage.log.readStream(`accountLink-${flow.flowId}`)) {
    actors.push([type, metadata.actor.kind]);
  }
  expect(actors).toEqual([
    ['AccountLinkBegun', 'operator'],
    ['AccountLinkCodeReceived', 'operator'],
  ]);
  const other = at.provider.addAccount();
  const again = await stage.start();
  await fetch(await signInAt(again.authorizationUrl, other));
  const [, received] = await Array.fromAsync(stage.log.readStream(`accountLink-${again.flowId}`));
  expect(received?.metadata).toMatchObject({
    actor: { kind: 'system', reason: 'the provider redirected a browser back' },
    correlationId: again.flowId,
  });
});
