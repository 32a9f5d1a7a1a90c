import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test, vi } from 'vitest';
import { startReceiver } from '../src/alerts/alertStage.support.ts';
import { type FakeClock, fakeClock, whyNoFakeClock } from './durability/support/fakeClock.ts';
import type { Api } from './durability/support/managementApi.ts';
import { sendRequest } from './durability/support/sendRequest.ts';
import { openStage, requestBody, type Stage } from './durability/support/stage.ts';
import { openCluster } from './nodes/cluster.ts';
import { serverError, textResponse } from './support/provider/scripts.ts';

// Each rule of alerts with the real fault, over kill -9: one notification when it begins, one when it is over, one record of each.

vi.setConfig({ testTimeout: 120_000 });
const SOON = { timeout: 40_000, interval: 50 };
/** How often a service looks for conditions. */
const CHECK_MS = 5_000;

type Receiver = Awaited<ReturnType<typeof startReceiver>>;

const addWebhook = (api: Api, { url }: Receiver, rules: readonly string[]) =>
  api.call('POST', '/api/alerts/webhooks', { name: 'on call', url, rules });

interface Shown {
  readonly id: string;
  readonly rule: string;
  readonly resolved_at: string | null;
}

const shown = async (api: Api, rule: string): Promise<Shown[]> => {
  const { alerts } = await api.call('GET', '/api/alerts');
  return alerts.filter((alert: Shown) => alert.rule === rule);
};

const recordsOf = async (api: Api, type: string): Promise<number> =>
  (await api.call('GET', `/api/history?type=${type}`)).events.length;

/** Kills the service in the moment in which the receiver has the next notification and svc does not know that. */
async function killAtNotification({ service }: Pick<Stage, 'service'>, receiver: Receiver): Promise<void> {
  receiver.respond.respond = () => undefined;
  await receiver.until(receiver.received.length + 1);
  await service.kill();
  receiver.respondWith(204);
}

/** Lets hours pass until a number of alerts are over: their conditions have been absent for a while, and are then seen to be. */
async function untilSettled(api: Api, clock: FakeClock, count: number): Promise<void> {
  const isOver = async () => {
    const alerts: Shown[] = (await api.call('GET', '/api/alerts')).alerts;
    return alerts.filter(({ resolved_at }) => resolved_at !== null).length === count;
  };
  for (let hours = 2; hours <= 6; hours += 2) {
    clock.set(`+${hours}h`);
    if (await vi.waitUntil(isOver, { timeout: 2 * CHECK_MS, interval: 100 }).catch(() => false)) return;
  }
  expect((await api.call('GET', '/api/alerts')).alerts).toBe(`${count} alerts, all of them over`);
}

/** That each rule had its number of episodes, each notified of in order under one id, with a record for each notification. */
async function expectEpisodes(api: Api, receiver: Receiver, counts: Readonly<Record<string, number>>): Promise<void> {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  await vi.waitFor(async () => expect(await recordsOf(api, 'AlertDelivered')).toBe(2 * all), SOON);
  for (const [rule, count] of Object.entries(counts)) {
    const episodes = await shown(api, rule);
    expect([rule, episodes.length]).toEqual([rule, count]);
    for (const { id } of episodes) {
      const types = receiver.received.filter(({ body }) => body.data.id === id).map(({ body }) => body.type);
      expect([types[0], types.indexOf('alert.resolved')]).toEqual(['alert.raised', types.length - 1]);
    }
    const ids = receiver.received.filter(({ body }) => body.data.rule === rule).map(({ body }) => body.data.id);
    expect(new Set(ids)).toEqual(new Set(episodes.map(({ id }) => id)));
  }
}

describe.skipIf(whyNoFakeClock() !== undefined)('with a clock that is moved', () => {
  test('a lost account, few accounts and many failures are an episode each, over kill -9', async () => {
    const [clock, receiver] = await Promise.all([fakeClock(), startReceiver()]);
    const stage = await openStage({ accounts: 2, env: { ...clock.env, SVC_ALERT_POOL_PERCENT: '60' } });
    const [lost, other] = stage.pool;
    await addWebhook(stage.api, receiver, []);
    other?.at.always(serverError({ status: 500, body: 'json' }));
    if (lost) lost.at.token = { status: 401, error: 'refresh_token_reused' };
    lost?.at.expireAccessToken();
    const ask = () => sendRequest({ url: stage.url, path: '/v1/responses', body: requestBody() });
    const killed = killAtNotification(stage, receiver);
    // The account that fails cools down, and then no account can serve: that is a failure as well.
    const asked = Array.from({ length: 25 }, ask);
    await killed;
    await Promise.all(asked);
    await stage.start();
    await vi.waitUntil(async () => (await shown(stage.api, 'pool_low')).length > 0, SOON);
    other?.at.always(textResponse());
    // The rate is counted by the process.
    if ((await shown(stage.api, 'error_rate')).length === 0) {
      other?.at.always(serverError({ status: 500, body: 'json' }));
      await Promise.all(Array.from({ length: 25 }, ask));
      other?.at.always(textResponse());
    }
    await vi.waitUntil(async () => (await shown(stage.api, 'error_rate')).length > 0, SOON);
    await stage.api.call('DELETE', `/api/accounts/${lost?.id}`);
    await untilSettled(stage.api, clock, 3);
    await expectEpisodes(stage.api, receiver, { account_lost: 1, pool_low: 1, error_rate: 1 });
    await stage.stop();
  });

  test('a finding in the log is one episode over kill -9, until the log is whole for an hour', async () => {
    const [clock, receiver] = await Promise.all([fakeClock(), startReceiver()]);
    const stage = await openStage({ env: clock.env });
    stage.pool[0]?.at.always(textResponse());
    await addWebhook(stage.api, receiver, ['integrity_finding']);
    await sendRequest({ url: stage.url, path: '/v1/responses', body: requestBody() });
    await stage.stop();
    const path = join(stage.folder, 'log.sqlite');
    const whole = changeEvents(path, `UPDATE events SET data = replace(data, '"latencyMs":', '"latencyMs":1')`);
    await stage.start();
    await killAtNotification(stage, receiver);
    await stage.start();
    // The stream of the request, and the leaf of the tree: each finding is an episode.
    await vi.waitUntil(async () => (await recordsOf(stage.api, 'AlertDelivered')) > 1, SOON);
    const found = await shown(stage.api, 'integrity_finding');
    expect(found.map(({ resolved_at }) => resolved_at)).toEqual(found.map(() => null));
    await stage.stop();
    whole.restore();
    await stage.start();
    await vi.waitUntil(async () => (await stage.api.call('GET', '/api/status')).problems.length === 0, SOON);
    await untilSettled(stage.api, clock, found.length);
    await expectEpisodes(stage.api, receiver, { integrity_finding: found.length });
    await stage.stop();
  });

  test('a store that is away is one episode, also when svc is killed and started meanwhile', async () => {
    const [clock, receiver, cluster] = await Promise.all([fakeClock(), startReceiver(), openCluster()]);
    const account = cluster.provider.addAccount();
    account.always(textResponse());
    const node = await cluster.node('a', clock.env);
    await node.api.importAccount(account);
    await addWebhook(node.api, receiver, ['store_away', 'outbox_filling']);
    await cluster.stopEventStore();
    expect(await node.ask()).toBe(200);
    await vi.waitUntil(() => new Set(receiver.types()).size === 2, SOON);
    await node.service.kill();
    const service = await cluster.launch('a', clock.env);
    await service.printed(/cannot be used yet \(attempt 1/);
    await cluster.restartEventStore();
    await service.listening();
    await service.stop();
    const next = await cluster.node('a', clock.env);
    await untilSettled(next.api, clock, 2);
    await expectEpisodes(next.api, receiver, { store_away: 1, outbox_filling: 1 });
  });
});

/** @returns how the events are put back as they were */
function changeEvents(path: string, sql: string) {
  using database = new DatabaseSync(path);
  const before = database.prepare(`SELECT position, data FROM events WHERE type = 'RequestCompleted'`).all();
  database.exec(`${sql} WHERE type = 'RequestCompleted'`);
  return {
    restore() {
      using again = new DatabaseSync(path);
      for (const { position, data } of before)
        again.prepare('UPDATE events SET data = ? WHERE position = ?').run(data as string, position as number);
    },
  };
}
