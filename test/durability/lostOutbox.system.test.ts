import { cpSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import { type Cluster, openCluster } from '../nodes/cluster.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { untilMarkReachesEnd } from './support/untilMarkReachesEnd.ts';

const SLOW = { timeout: 120_000 };
const soon = { timeout: 20_000, interval: 20 };

// Responses that clients have seen to their end are in the outbox while EventStoreDB is away. An outbox that lacks some of
// them is never continued in silence (docs/decisions/0059-high-water-mark.md).

/** The number of requests that were answered while EventStoreDB was away. */
const ANSWERED = 6;

/** Ways to lose events of the outbox. */
const faults: Readonly<Record<string, (folder: string) => void>> = {
  'the write-ahead log of the outbox was deleted': (folder) => rmSync(join(folder, 'outbox.sqlite-wal')),
  'the write-ahead log of the outbox was cut': (folder) => truncateSync(join(folder, 'outbox.sqlite-wal'), 40_000),
  'the outbox was deleted'(folder) {
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(folder, `outbox.sqlite${suffix}`), { force: true });
  },
  'the outbox was emptied'(folder) {
    for (const suffix of ['-wal', '-shm']) rmSync(join(folder, `outbox.sqlite${suffix}`), { force: true });
    writeFileSync(join(folder, 'outbox.sqlite'), '');
  },
};

const completedIn = ({ database }: Cluster): number =>
  database.log.filter(({ type }) => type === 'RequestCompleted').length;

/** A cluster with the folder of a node that was killed while its outbox had events. */
async function aKilledNode() {
  const cluster = await openCluster();
  const node = await cluster.node('a');
  const account = cluster.provider.addAccount();
  account.always(textResponse());
  await node.api.importAccount(account);
  expect(await node.ask()).toBe(200);
  await vi.waitUntil(() => completedIn(cluster) === 1, soon);
  await cluster.stopEventStore();
  for (let count = 0; count < ANSWERED; count += 1) expect(await node.ask()).toBe(200);
  const folder = await cluster.folderOf('a');
  await untilMarkReachesEnd(folder, 'outbox');
  await node.service.kill();
  return { cluster, folder };
}

function eventsIn(outbox: string): number {
  using database = new DatabaseSync(outbox, { readOnly: true });
  return database.prepare('SELECT count(*) AS count FROM events').get()?.count as number;
}

test('refuses to start over an outbox that lacks answered requests, however they were lost', SLOW, async () => {
  const { cluster, folder } = await aKilledNode();
  await cluster.restartEventStore();
  const refusals = Object.entries(faults).map(async ([what, damage]) => {
    const name = what.replaceAll(' ', '-');
    const damaged = await cluster.folderOf(name);
    cpSync(folder, damaged, { recursive: true });
    damage(damaged);
    const { exitCode, stderr } = await (await cluster.launch(name, { SVC_NODE_ID: 'a' })).ended;
    expect({ exitCode, stderr }, what).toEqual({
      exitCode: 1,
      stderr: [
        expect.stringMatching(/outbox\.sqlite .* but outbox\.mark proves .* events are missing\. Restore outbox/),
      ],
    });
    const [, missing] = /(\d+) events are missing/.exec(stderr.join()) ?? [];
    // Announcements of requests may be in the outbox as well.
    expect(Number(missing), what).toBeGreaterThanOrEqual(what.includes(' cut') ? 1 : ANSWERED);
  });
  await Promise.all(refusals);
  // The undamaged folder drains everything.
  const node = await cluster.node('a');
  await vi.waitUntil(() => completedIn(cluster) === 1 + ANSWERED, soon);
  expect(await node.stop()).toMatchObject({ exitCode: 0 });
});

test('starts after accept-loss, which is shown in the history', SLOW, async () => {
  const { cluster, folder } = await aKilledNode();
  faults['the outbox was deleted']?.(folder);
  await cluster.restartEventStore();
  const accepted = await cluster.command('a', 'accept-loss');
  expect(accepted).toMatchObject({ exitCode: 0, stderr: [] });
  expect(accepted.stdout.join('\n')).toMatch(/^Accepted: .*outbox\.sqlite .* events are missing\.$/m);
  const node = await cluster.node('a');
  const { events } = await node.api.call('GET', '/api/history?type=LossAccepted');
  expect(events).toEqual([expect.objectContaining({ sentence: expect.stringContaining('of the outbox') })]);
  expect(await node.ask()).toBe(200);
  await vi.waitUntil(() => completedIn(cluster) === 2, soon);
  expect(await node.stop()).toMatchObject({ exitCode: 0 });
});

test('starts without its outbox when EventStoreDB has all of its events', SLOW, async () => {
  const { cluster, folder } = await aKilledNode();
  await cluster.restartEventStore();
  const node = await cluster.node('a');
  await vi.waitUntil(() => completedIn(cluster) === 1 + ANSWERED, soon);
  expect(await node.ask()).toBe(200);
  await vi.waitUntil(() => completedIn(cluster) === 2 + ANSWERED, soon);
  // The last event of each stream stays: requests and the start of the node.
  await vi.waitUntil(() => eventsIn(join(folder, 'outbox.sqlite')) <= 2, soon);
  await node.service.kill();
  faults['the outbox was deleted']?.(folder);
  const again = await cluster.node('a');
  expect(await again.ask()).toBe(200);
  await vi.waitUntil(() => completedIn(cluster) === 3 + ANSWERED, soon);
  expect(await again.stop()).toMatchObject({ exitCode: 0 });
});
