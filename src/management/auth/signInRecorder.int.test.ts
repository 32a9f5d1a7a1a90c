import { expect, test } from 'vitest';
import { browser, PASSWORD, setUp, setUpTotp } from '../../../test/support/browser.ts';
import { NOW } from '../../../test/support/specification.ts';
import type { Actor } from '../../eventLog/eventLog.ts';
import { openIfSealed } from '../../vault/openIfSealed.ts';
import { allEvents, REMOTE, startStage, statusAndResult, verifyTotp } from './authStage.support.ts';

test('records session, address, user agent and use of TOTP with every change', async () => {
  const stage = await startStage();
  const client = await setUp(stage);
  const headers = { 'user-agent': 'test/1' };
  await client.call('POST', '/api/firewall/ips', { body: { ip_address: '10.0.0.1' }, headers });
  await setUpTotp(stage, client);
  await verifyTotp(stage, client);
  await client.call('POST', '/api/firewall/ips', { body: { ip_address: '10.0.0.2' }, headers });
  const all = await allEvents(stage);
  const allowed = all.filter(({ type }) => type === 'IpAllowed').map(({ metadata }) => opened(metadata.actor as Actor));
  const sessionIds = all
    .filter(({ type }) => type === 'SessionBegun' || type === 'SessionTotpVerified')
    .map(({ data }) => (data as { sessionId: string }).sessionId);
  const actor = { kind: 'operator', address: '127.0.0.1', userAgent: 'test/1' };
  expect(allowed).toEqual([
    { ...actor, sessionId: sessionIds[0], usedTotp: false },
    { ...actor, sessionId: sessionIds[1], usedTotp: true },
  ]);

  function opened(actor: Actor) {
    if (actor.kind !== 'operator') throw new Error('not an operator');
    const { addressDigest: _, address, userAgent, ...others } = actor;
    return {
      ...others,
      address: openIfSealed(address, stage.vault),
      userAgent: openIfSealed(userAgent, stage.vault),
    };
  }
});

test('records sign-ins, sign-outs and failures, and counts throttled attempts', async () => {
  const stage = await startStage();
  const client = await setUp(stage);
  const remote = browser(stage, REMOTE);
  for (let n = 0; n < 11; n++) await remote.post('password/login', { password: 'wrong' });
  await client.post('logout');
  await stage.signIns.stop();
  const ofSessions = (await allEvents(stage)).filter(({ stream }) => stream.startsWith('sessions-test.'));
  const failed = Array<string>(8).fill('SignInFailed');
  expect(ofSessions.map(({ type }) => type)).toEqual(['SessionBegun', ...failed, 'SessionEnded', 'SignInsThrottled']);
  expect(ofSessions[1]).toMatchObject({
    data: { method: 'password', address: '203.0.113.9' },
    metadata: { actor: { kind: 'operator', address: expect.stringMatching(/^sealed\./), sessionId: null } },
  });
  expect(ofSessions.at(-1)?.data).toEqual({ address: '203.0.113.9', minute: NOW, count: 3 });
});

test('refuses sign-in while the log is unavailable', async () => {
  const stage = await startStage();
  await setUp(stage);
  await stage.log.close();
  const response = await browser(stage).post('password/login', { password: PASSWORD });
  expect(statusAndResult(response)).toEqual([503, 'log_unavailable']);
  expect(response.headers['set-cookie']).toBeUndefined();
});
