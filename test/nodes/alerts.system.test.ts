import { expect, test, vi } from 'vitest';
import { startReceiver } from '../../src/alerts/alertStage.support.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { type Cluster, type ClusterNode, openCluster } from './cluster.ts';

const SLOW = { timeout: 120_000 };
const soon = { timeout: 60_000, interval: 50 };

/** A key whose next request uses up its limit: two alerts at once. */
async function aKeyNearItsLimit({ provider }: Cluster, { api }: ClusterNode): Promise<string> {
  const account = provider.addAccount();
  const usage = { inputTokens: 500, cachedTokens: 0, outputTokens: 500, reasoningTokens: 0 };
  account.always(textResponse({ usage }));
  await api.importAccount(account);
  const limits = [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 1_000 }];
  const { key } = await api.call('POST', '/api/api-keys', { name: 'shared', limits });
  await api.set({ api_key_auth_enabled: true });
  return key;
}

test('when the node dies that notifies, the next one goes on in order: what was not confirmed once more, nothing else', {
  timeout: 140_000,
}, async () => {
  const [cluster, receiver] = await Promise.all([openCluster(), startReceiver()]);
  const a = await cluster.node('a');
  const leads = { name: 'alerts', node: 'a', is_here: true };
  await vi.waitFor(
    async () =>
      expect((await a.api.call('GET', '/api/status')).sole_work).toContainEqual(expect.objectContaining(leads)),
    soon,
  );
  const b = await cluster.node('b');
  const key = await aKeyNearItsLimit(cluster, a);
  await a.api.call('POST', '/api/alerts/webhooks', { name: 'on call', url: receiver.url });
  // The receiver gets the first notification, and the node dies before it hears of it.
  receiver.respond.respond = () => undefined;
  expect(await a.ask({ authorization: `Bearer ${key}` })).toBe(200);
  await vi.waitUntil(() => receiver.received.length > 0, soon);
  await a.service.kill();
  const before = receiver.received.length;
  receiver.respondWith(204);
  const ids = () => receiver.received.map(({ body }) => body.data.id as string);
  await vi.waitUntil(() => new Set(ids()).size === 2, soon);
  await vi.waitFor(async () => {
    const { events } = await b.api.call('GET', '/api/history?type=AlertDelivered');
    expect(events).toHaveLength(2);
  }, soon);
  const [first, second] = new Set(ids());
  expect(ids().slice(before)).toEqual([first, second]);
  const { alerts } = await b.api.call('GET', '/api/alerts');
  expect(alerts.map(({ id }: { id: string }) => id).sort()).toEqual([first, second].sort());
});

test('of two nodes one begins an episode and one notifies, and both show it', SLOW, async () => {
  const [cluster, receiver] = await Promise.all([openCluster(), startReceiver()]);
  const [a, b] = await Promise.all([cluster.inProcessNode('a'), cluster.inProcessNode('b')]);
  const key = await aKeyNearItsLimit(cluster, a);
  await b.api.call('POST', '/api/alerts/webhooks', { name: 'on call', url: receiver.url });
  expect(await a.ask({ authorization: `Bearer ${key}` })).toBe(200);
  await vi.waitFor(
    () => expect(receiver.types().sort()).toEqual(['alert.raised limit_100', 'alert.raised limit_80']),
    soon,
  );
  for (const { api } of [a, b]) {
    await vi.waitFor(async () => {
      const { alerts } = await api.call('GET', '/api/alerts');
      expect(alerts.map(({ rule }: { rule: string }) => rule).sort()).toEqual(['limit_100', 'limit_80']);
      const { events } = await api.call('GET', '/api/history?type=AlertDelivered');
      expect(events).toHaveLength(2);
    }, soon);
  }
});
