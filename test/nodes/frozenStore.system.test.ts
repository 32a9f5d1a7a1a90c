import { expect, onTestFinished, test, vi } from 'vitest';
import { spawnFakeEventStore } from '../support/eventstore/spawnFakeEventStore.ts';
import { openCluster } from './cluster.ts';

const soon = { timeout: 30_000, interval: 50 };

test('shows within seconds that EventStoreDB is frozen, serves requests, and loses none of them', async () => {
  const fake = await spawnFakeEventStore();
  onTestFinished(() => fake[Symbol.asyncDispose]());
  const cluster = await openCluster();
  const node = await cluster.inProcessNode('a', { SVC_EVENTSTORE_URL: fake.url });
  const account = cluster.provider.addAccount();
  await node.api.importAccount(account);
  const status = () => node.api.call('GET', '/api/status');
  expect((await status()).events.cut_off_since).toBeNull();
  // The poll of the models after the import: they are no change that a frozen store is to fail.
  const hasModels = async () =>
    (await fake.control.records('modelCatalogue-')).some(({ type }) => type === 'ModelsListed');
  await vi.waitUntil(hasModels, soon);

  const frozenAt = Date.now();
  fake.signal('SIGSTOP');
  expect(await node.ask()).toBe(200);
  await vi.waitUntil(async () => (await status()).events.cut_off_since !== null, soon);
  expect(Date.now() - frozenAt).toBeLessThan(10_000);
  const codes = async () => (await status()).problems.map(({ code }: { code: string }) => code);
  await vi.waitUntil(async () => (await codes()).includes('store_unreachable'), soon);
  expect(Date.now() - frozenAt).toBeLessThan(10_000);
  expect(await node.ask()).toBe(200);

  fake.signal('SIGCONT');
  await vi.waitFor(async () => {
    const { events, outbox, problems } = await status();
    expect({ ...events, pending: outbox.pending, problems }).toMatchObject({
      cut_off_since: null,
      pending: 0,
      problems: [],
    });
  }, soon);
  const completed = (await fake.control.records('requests-')).filter(({ type }) => type === 'RequestCompleted');
  expect(completed).toHaveLength(2);
}, 90_000);
