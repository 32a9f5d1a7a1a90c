import { expect, test } from 'vitest';
import { browser, PASSWORD, setUp, setUpTotp } from '../../../test/support/browser.ts';
import { NOW } from '../../../test/support/specification.ts';
import { ELSEWHERE, events, shown, stage, verified } from './authStage.support.ts';

test('records session, address, user agent and use of TOTP with every change', async () => {
  const at = await stage();
  const client = await setUp(at);
  const headers = { 'user-agent': 'test/1' };
  await client.call('POST', '/api/firewall/ips', { body: { ip_address: '10.0.0.1' }, headers });
  await setUpTotp(at, client);
  await verified(at, client);
  await client.call('POST', '/api/firewall/ips', { body: { ip_address: '10.0.0.2' }, headers });
  const all = await events(at);
  const allowed = all.filter(({ type }) => type === 'IpAllowed').map(({ metadata }) => metadata.actor);
  const sessionIds = all
    .filter(({ type }) => type === 'SessionBegun' || type === 'SessionTotpVerified')
    .map(({ data }) => (data as { sessionId: string }).sessionId);
  const actor = { kind: 'operator', address: '127.0.0.1', userAgent: 'test/1' };
  expect(allowed).toEqual([
    { ...actor, sessionId: sessionIds[0], usedTotp: false },
    { ...actor, sessionId: sessionIds[1], usedTotp: true },
  ]);
});

test('records sign-ins, sign-outs and failures, and counts throttled attempts', async () => {
  const at = await stage();
  const client = await setUp(at);
  const stranger = browser(at, ELSEWHERE);
  for (let n = 0; n < 11; n++) await stranger.post('password/login', { password: 'wrong' });
  await client.post('logout');
  await at.signIns.stop();
  const ofSessions = (await events(at)).filter(({ stream }) => stream.startsWith('sessions-test.'));
  const failed = Array<string>(8).fill('SignInFailed');
  expect(ofSessions.map(({ type }) => type)).toEqual(['SessionBegun', ...failed, 'SessionEnded', 'SignInsThrottled']);
  expect(ofSessions[1]).toMatchObject({
    data: { method: 'password', address: '203.0.113.9' },
    metadata: { actor: { kind: 'operator', address: '203.0.113.9', sessionId: null } },
  });
  expect(ofSessions.at(-1)?.data).toEqual({ address: '203.0.113.9', minute: NOW, count: 3 });
});

test('refuses sign-in while the log is unavailable', async () => {
  const at = await stage();
  await setUp(at);
  await at.log.close();
  const answer = await browser(at).post('password/login', { password: PASSWORD });
  expect(shown(answer)).toEqual([503, 'log_unavailable']);
  expect(answer.headers['set-cookie']).toBeUndefined();
});
