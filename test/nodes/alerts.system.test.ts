import { expect, test, vi } from 'vitest';
import { startReceiver } from '../../src/alerts/alertStage.support.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { openCluster } from './cluster.ts';

const SLOW = { timeout: 120_000 };
const soon = { timeout: 60_000, interval: 50 };

test('of two nodes one begins an episode and one notifies, and both show it', SLOW, async () => {
  const [cluster, receiver] = await Promise.all([openCluster(), startReceiver()]);
  const [a, b] = await Promise.all([cluster.inProcessNode('a'), cluster.inProcessNode('b')]);
  const account = cluster.provider.addAccount();
  const usage = { inputTokens: 500, cachedTokens: 0, outputTokens: 500, reasoningTokens: 0 };
  account.always(textResponse({ usage }));
  await a.api.importAccount(account);
  const limits = [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 1_000 }];
  const { key } = await a.api.call('POST', '/api/api-keys', { name: 'shared', limits });
  await a.api.set({ api_key_auth_enabled: true });
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
