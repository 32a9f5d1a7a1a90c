import { createHmac } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startManagement } from '../../test/support/management.ts';
import type { AlertRule } from '../domain/alert/rules.ts';
import { createPost } from '../lib/outgoing/post.ts';
import { createCommandHandler } from '../state/commands/commandHandler.ts';
import { subjects } from '../state/fold/subjects.ts';
import { startReceiver } from './alertStage.support.ts';
import { Deliverer } from './deliverer.ts';
import { createPostNotification } from './postNotification.ts';

type Stage = Awaited<ReturnType<typeof startManagement>>;
const waiting = { timeout: 15_000, interval: 5 };

async function startStage() {
  const [stage, receiver] = await Promise.all([startManagement(), startReceiver()]);
  const handle = createCommandHandler({ log: stage.log, hot: stage.hot, now: stage.now });
  const cause = () => ({ actor: { kind: 'system', reason: 'alerts' }, correlationId: 'c' }) as const;
  const faults = { raise: vi.fn(), clear: vi.fn() };
  let count = 0;
  const raise = (rule: AlertRule) =>
    handle(
      subjects.alert,
      'main',
      {
        type: 'RaiseAlert',
        alertId: `00000000-0000-4000-8000-${String(++count).padStart(12, '0')}`,
        ...{ rule, key: rule, subject: null, node: null, text: 'It is <wrong> & so on.' },
      },
      cause(),
    );
  const resolve = (rule: AlertRule) => handle(subjects.alert, 'main', { type: 'ResolveAlert', key: rule }, cause());
  const add = async (body: object = {}) =>
    (await stage.call('POST', '/api/alerts/webhooks', { body: { name: 'on call', url: receiver.url, ...body } })).body;
  /** Delivers until the test ends, as the leader does. */
  function deliver() {
    const post = createPostNotification(createPost({ agentsFor: () => ({}), allowsLinkLocal: false }));
    const deliverer = new Deliverer({
      ...{ hot: stage.hot, handle, cause, vault: stage.vault, post, faults, now: stage.now },
      ...{ publicUrl: 'https://svc.example', firstPauseMs: 5, maxPauseMs: 20 },
    });
    const ended = new AbortController();
    const delivering = deliverer.deliver(ended.signal);
    onTestFinished(async () => {
      ended.abort();
      await delivering;
    });
    return { deliverer, kill: () => ended.abort(), delivering };
  }
  return { stage, receiver, raise, resolve, add, deliver, faults };
}

const typesOf = async (stage: Stage) => {
  const { events } = (await stage.call('GET', '/api/history?subject=alerts-main&limit=200')).body;
  return events.map(({ type }: { type: string }) => type).reverse();
};

test('delivers what begins and ends in order, signed, and records it', async () => {
  const { stage, receiver, raise, resolve, add, deliver } = await startStage();
  const { secret } = await add();
  deliver();
  await raise('pool_low');
  await receiver.until(1);
  await resolve('pool_low');
  await receiver.until(2);
  expect(receiver.types()).toEqual(['alert.raised pool_low', 'alert.resolved pool_low']);
  for (const { headers, text } of receiver.received) {
    const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature } = headers;
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    expect(signature).toBe(`v1,${createHmac('sha256', key).update(`${id}.${time}.${text}`).digest('base64')}`);
    expect(Number(time) * 1_000).toBeCloseTo(stage.now(), -4);
  }
  expect(receiver.received[0]?.body.data).toMatchObject({ text: 'It is <wrong> & so on.', resolved_at: null });
  expect(receiver.received[1]?.body.data.resolved_at).not.toBeNull();
  await vi.waitUntil(async () => (await typesOf(stage)).length === 5, waiting);
  expect((await typesOf(stage)).filter((type: string) => type === 'AlertDelivered')).toHaveLength(2);
});

test('tries again until it is taken, keeps the order, and records one failure and the attempts', async () => {
  const { stage, receiver, raise, add, deliver, faults } = await startStage();
  await add();
  receiver.respondWith(500);
  deliver();
  await raise('pool_low');
  await raise('error_rate');
  await receiver.until(4);
  expect(new Set(receiver.types())).toEqual(new Set(['alert.raised pool_low']));
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  const { webhooks } = (await stage.call('GET', '/api/alerts/webhooks')).body;
  expect(webhooks[0]).toMatchObject({ failure: 'it responded with status 500', delivered_at: null });
  expect(faults.raise).toHaveBeenCalledWith(expect.objectContaining({ code: 'alerts_not_delivered' }));
  receiver.respondWith(200);
  await vi.waitUntil(() => receiver.types().at(-1) === 'alert.raised error_rate', waiting);
  await vi.waitUntil(
    async () => (await typesOf(stage)).filter((type: string) => type === 'AlertDelivered').length === 2,
    waiting,
  );
  expect((await typesOf(stage)).filter((type: string) => type === 'AlertDeliveryFailed')).toHaveLength(1);
  const sentence = (await stage.call('GET', '/api/history?type=AlertDelivered')).body.events.at(-1).sentence;
  expect(sentence).toMatch(/with status 200 at attempt \d+$/);
  expect(faults.clear).toHaveBeenCalled();
  expect(JSON.stringify((await stage.call('GET', '/api/history')).body)).not.toContain('is not shown');
});

test('goes on where the last one stopped, and gives a webhook only what came after it', async () => {
  const { receiver, raise, resolve, add, deliver } = await startStage();
  await raise('outbox_filling');
  await add();
  const first = deliver();
  await raise('pool_low');
  await receiver.until(1);
  first.kill();
  await first.delivering;
  await resolve('pool_low');
  await raise('error_rate');
  deliver();
  await receiver.until(3);
  // At least once: what was sent and not recorded when it was killed comes again.
  expect([...new Set(receiver.types())]).toEqual([
    'alert.raised pool_low',
    'alert.resolved pool_low',
    'alert.raised error_rate',
  ]);
});

test('one webhook that does not respond holds up no other one', async () => {
  const { receiver, raise, add, deliver } = await startStage();
  const hanging = await startReceiver();
  hanging.respond.respond = () => undefined;
  await add({ url: hanging.url });
  await add();
  deliver();
  await raise('pool_low');
  await receiver.until(1);
  await raise('error_rate');
  await receiver.until(2);
  expect(hanging.received).toHaveLength(1);
});

test('follows no redirect', async () => {
  const { stage, receiver, raise, add, deliver } = await startStage();
  const target = await startReceiver();
  receiver.respondWith(307, { location: target.url });
  await add();
  deliver();
  await raise('pool_low');
  await receiver.until(2);
  expect(target.received).toEqual([]);
  const { webhooks } = (await stage.call('GET', '/api/alerts/webhooks')).body;
  expect(webhooks[0].failure).toBe('it responded with status 307, a redirect, which is not followed');
});

test('writes for Slack, where < and & are markup', async () => {
  const { receiver, raise, resolve, add, deliver } = await startStage();
  await add({ format: 'slack' });
  deliver();
  await raise('pool_low');
  await resolve('pool_low');
  await receiver.until(2);
  expect(receiver.received.map(({ body }) => body)).toEqual([
    {
      text: '*Alert: Few accounts available*\nIt is &lt;wrong&gt; &amp; so on.\n<https://svc.example/history?subject=alerts-main>',
    },
    { text: '*Over: Few accounts available*\n<https://svc.example/history?subject=alerts-main>' },
  ]);
});

test('a stop waits 2 s for webhooks that do not respond, and delivers what it can', async () => {
  const { stage, receiver, raise, add, deliver } = await startStage();
  const hanging = await startReceiver();
  hanging.respond.respond = () => undefined;
  await add({ url: hanging.url, name: 'hangs' });
  await add();
  const { deliverer } = deliver();
  await raise('pool_low');
  await hanging.until(1);
  const since = performance.now();
  await deliverer.stop();
  expect(performance.now() - since).toBeGreaterThan(1_900);
  expect(performance.now() - since).toBeLessThan(5_000);
  expect(receiver.types()).toEqual(['alert.raised pool_low']);
  const { webhooks } = (await stage.call('GET', '/api/alerts/webhooks')).body;
  expect(webhooks.map(({ delivered_at }: { delivered_at: string | null }) => delivered_at === null)).toEqual([
    true,
    false,
  ]);
});
