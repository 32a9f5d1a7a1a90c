import { expect, onTestFinished, test, vi } from 'vitest';
import { startReceiver } from '../src/alerts/alertStage.support.ts';
import { startGateway, validRequest } from './support/gateway.ts';
import { textResponse } from './support/provider/scripts.ts';

const SLOW = { timeout: 120_000 };
const soon = { timeout: 30_000, interval: 50 };

test(
  'notifies of a lost account and a used limit once per episode, also after a restart, and of their ends',
  SLOW,
  async () => {
    const [gateway, receiver] = await Promise.all([startGateway({ accounts: 2 }), startReceiver()]);
    onTestFinished(() => gateway.stop());
    const [first, second] = gateway.pool;
    second?.at.always(
      textResponse({ usage: { inputTokens: 500, cachedTokens: 0, outputTokens: 500, reasoningTokens: 0 } }),
    );
    const limits = [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 1_000 }];
    const { body: key } = await gateway.api('POST', '/api/api-keys', { name: 'ci', limits });
    await gateway.set({ api_key_auth_enabled: true });
    const { body: hook } = await gateway.api('POST', '/api/alerts/webhooks', { name: 'on call', url: receiver.url });
    first?.at.expireAccessToken();
    if (first) first.at.token = { status: 401, error: 'refresh_token_reused' };
    await (await gateway.ask(validRequest, { headers: { authorization: `Bearer ${key.key}` } })).text();
    const rules = () => receiver.types().sort();
    const begun = ['alert.raised account_lost', 'alert.raised limit_100', 'alert.raised limit_80'];
    await vi.waitFor(() => expect(rules()).toEqual(begun), soon);
    expect(receiver.received.find(({ body }) => body.data.rule === 'limit_80')?.body.data).toMatchObject({
      subject: `apiKey-${key.id}`,
      text: 'API key ci has used 100 % of its limit 1 (total_tokens, daily).',
    });

    await gateway.restart();
    const raised = [{ ...limits[0], max_value: 1_000_000 }];
    await gateway.api('PATCH', `/api/api-keys/${key.id}`, { limits: raised });
    await gateway.api('DELETE', `/api/accounts/${first?.id}`);
    const over = ['alert.resolved account_lost', 'alert.resolved limit_100', 'alert.resolved limit_80'];
    await vi.waitFor(() => expect(rules()).toEqual([...begun, ...over]), soon);
    const { alerts } = (await gateway.api('GET', '/api/alerts')).body;
    expect(alerts.map(({ rule }: { rule: string }) => rule).sort()).toEqual(['account_lost', 'limit_100', 'limit_80']);
    expect(alerts.every(({ resolved_at }: { resolved_at: string | null }) => resolved_at !== null)).toBe(true);
    const of = async (type: string) => (await gateway.api('GET', `/api/history?type=${type}`)).body.events;
    await vi.waitUntil(async () => (await of('AlertDelivered')).length === 6, soon);
    expect((await of('AlertRaised')).map(({ actor }: { actor: { kind: string } }) => actor.kind)).toEqual(
      Array(3).fill('system'),
    );
    expect((await gateway.api('DELETE', `/api/alerts/webhooks/${hook.id}`)).status).toBe(200);
  },
);
