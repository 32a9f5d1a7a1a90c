import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { position } from '../../src/domain/core/brands.ts';
import type { RecordedEvent } from '../../src/eventLog/eventLog.ts';
import { createReader } from '../../src/eventLog/sqlite/reader.ts';
import { explainFromLog } from '../../src/replay/explain/explainFromLog.ts';
import type { EndEvent } from '../../src/replay/explain/explainSource.ts';
import { replayLog } from '../../src/replay/replayLog.ts';
import { fakeClock, whyNoFakeClock } from '../durability/support/fakeClock.ts';
import { keysWithRules } from '../durability/support/keys.ts';
import { type Key, startLoad } from '../durability/support/load.ts';
import { type Api, managementApi } from '../durability/support/managementApi.ts';
import { plannedResponses } from '../durability/support/plans.ts';
import { serve } from '../durability/support/serve.ts';
import { tempDir } from '../e2e/support/tempDir.ts';
import { openCluster } from '../nodes/cluster.ts';
import { type Provider, startProvider } from '../support/provider/provider.ts';
import { createRandom } from '../support/random.ts';
import { takeSnapshot } from '../support/takeSnapshot.ts';

// What a log records suffices to repeat its decisions, whatever happened to the service meanwhile
// (docs/decisions/0028-replayable-decisions.md).

const SEED = Number(process.env.SVC_TEST_REPLAY_SEED ?? Date.now() % 1_000_000);
const STRATEGIES = ['round_robin', 'usage_weighted'] as const;
const soon = { timeout: 30_000, interval: 50 };

/** Imports accounts whose responses follow the plans of the requests, and creates keys with limits. */
async function prepare(api: Api, provider: Provider, accounts: number): Promise<Key[]> {
  const failedOnce = new Set<string>();
  for (let index = 0; index < accounts; index += 1) {
    const account = provider.addAccount();
    account.always(plannedResponses(failedOnce));
    await api.importAccount(account);
  }
  const keys: Key[] = [];
  for (const key of keysWithRules) keys.push(await api.call('POST', '/api/api-keys', key));
  await api.set({ api_key_auth_enabled: true });
  return keys;
}

/** The requests of a log that have an end, as the log records them. */
function endsIn(location: string): EndEvent[] {
  const reader = createReader(location);
  try {
    const ends: EndEvent[] = [];
    const isEnd = (event: RecordedEvent): event is EndEvent =>
      event.type === 'RequestCompleted' || event.type === 'RequestRefused';
    for (let after = position(0); ; ) {
      const { events } = reader.page(after, reader.head());
      const last = events.at(-1);
      if (!last) return ends;
      ends.push(...events.filter(isEnd));
      after = last.position;
    }
  } finally {
    reader.close();
  }
}

/** Replays a log, prints the figures and expects no difference. */
async function expectRepeated(location: string) {
  const result = await replayLog({ location });
  const { differences, ...figures } = result;
  process.stdout.write(`  seed ${SEED}: ${JSON.stringify(figures)}\n`);
  expect(differences).toEqual([]);
  expect(result.repeated).toBeGreaterThanOrEqual(result.choices + result.admissions);
  expect(result.choices).toBeGreaterThan(100);
  return result;
}

const why = whyNoFakeClock();

test.skipIf(why)(
  `repeats all decisions over kills, restarts, clock jumps and both strategies${why ? ` (skipped: ${why})` : ''}`,
  { timeout: 180_000 },
  async () => {
    await using folder = await tempDir('replay-faults');
    const clock = await fakeClock();
    const provider = await startProvider({ maxReceived: 100 });
    onTestFinished(() => provider.close());
    const random = createRandom(SEED);
    const start = async () => {
      const service = serve({
        folder: folder.path,
        provider,
        env: { ...clock.env, SVC_DRAIN_SECONDS: '1' },
        timeoutMs: 150_000,
      });
      const url = await service.listening();
      return { service, url, api: managementApi(url) };
    };
    let running = await start();
    const keys = await prepare(running.api, provider, 5);

    const rounds = ['kill', 'stop', 'ahead', 'kill', 'back', 'kill from a snapshot'] as const;
    for (const [index, round] of rounds.entries()) {
      await running.api.set({ routing_strategy: STRATEGIES[index % 2] });
      const load = startLoad({
        url: running.url,
        random: random.branch(index),
        clients: 12,
        name: String(index),
        keys,
        onEnding: () => undefined,
      });
      await vi.waitUntil(() => load.sent >= 80, soon);
      if (round === 'ahead') clock.set('+2d');
      if (round === 'back') clock.set('+0');
      if (round === 'ahead' || round === 'back') await wait(1_500);
      load.stop();
      await (round === 'stop' ? running.service.stop() : running.service.kill());
      await load.finished();
      if (round === 'kill from a snapshot') takeSnapshot(folder.path);
      running = await start();
    }
    await running.service.stop();

    const location = join(folder.path, 'log.sqlite');
    const { requests } = await expectRepeated(location);
    const ends = endsIn(location);
    expect(requests).toBe(ends.length);
    // Each explanation folds the log from its beginning, so only some are asked for.
    const some = ends.filter((_, index) => index % Math.ceil(ends.length / 60) === 0);
    for (const { type, data } of some) {
      const explained = await explainFromLog({ location }, data.requestId);
      expect(explained).toMatchObject({
        request_id: data.requestId,
        account_id: type === 'RequestCompleted' ? data.accountId : null,
      });
      for (const { account_id: chosen, choice } of explained?.attempts ?? []) {
        const first = choice.candidates.find(({ place }) => place === 1);
        if (choice.by === 'pin') expect(type === 'RequestCompleted' && data.pin?.resolvedTo).toBe(chosen);
        else if (choice.by !== 'repeat') expect(first?.account_id, data.requestId).toBe(chosen);
      }
    }
  },
);

test('repeats and explains the decisions of three nodes, one of them killed, from the mirror of each', {
  timeout: 180_000,
}, async () => {
  const cluster = await openCluster();
  const names = ['a', 'b', 'c'] as const;
  const nodes = await Promise.all(names.map((name) => cluster.node(name)));
  const [first, , third] = nodes as [(typeof nodes)[0], (typeof nodes)[0], (typeof nodes)[0]];
  const keys = await prepare(first.api, cluster.provider, 5);
  for (const { api } of nodes) {
    await vi.waitUntil(async () => (await api.call('GET', '/api/settings')).api_key_auth_enabled, soon);
    await vi.waitUntil(async () => (await api.call('GET', '/api/status')).nodes.length === names.length, soon);
  }
  const random = createRandom(SEED);
  const loads = nodes.map(({ url }, index) =>
    startLoad({
      url,
      random: random.branch(index),
      clients: 5,
      name: String(index),
      keys,
      onEnding: () => undefined,
    }),
  );
  const areSent = (count: number) => vi.waitUntil(() => loads.every(({ sent }) => sent >= count), soon);
  await areSent(30);
  await first.api.set({ routing_strategy: 'round_robin' });
  await areSent(60);
  loads[2]?.stop();
  await third.service.kill();
  const sent = (loads[0]?.sent ?? 0) + 20;
  await vi.waitUntil(() => (loads[0]?.sent ?? 0) >= sent, soon);
  for (const load of loads) load.stop();
  const again = await cluster.node('c');
  // Some responses never end, so clients are waited for after the nodes.
  for (const node of [...nodes.slice(0, 2), again]) await node.stop();
  await Promise.all(loads.map((load) => load.finished()));
  const mirrors = await Promise.all(names.map(async (name) => join(await cluster.folderOf(name), 'mirror.sqlite')));
  for (const path of mirrors) await expectRepeated(path);
  const ids = endsIn(mirrors[0] as string).map(({ data }) => data.requestId);
  for (const id of ids.filter((_, index) => index % Math.ceil(ids.length / 10) === 0)) {
    const [first, ...others] = await Promise.all(mirrors.map((location) => explainFromLog({ location }, id)));
    expect(first?.request_id).toBe(id);
    for (const other of others) expect(other).toEqual(first);
  }
});
