import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import { textResponse } from '../support/provider/scripts.ts';
import { openCluster } from './cluster.ts';

const soon = { timeout: 30_000, interval: 50 };

const completedIn = (log: readonly { readonly type: string; readonly data: Uint8Array }[]): string[] =>
  log
    .filter(({ type }) => type === 'RequestCompleted')
    .map(({ data }) => JSON.parse(Buffer.from(data).toString()).requestId);

function eventsIn(path: string): number {
  using database = new DatabaseSync(path, { readOnly: true });
  return Number(database.prepare('SELECT count(*) AS count FROM events').get()?.count);
}

// docs/operation.md#restoring-a-backup, step by step.
test('loses only what the backup lacks when a backup is restored as documented', async () => {
  const cluster = await openCluster();
  const first = await cluster.node('a');
  const account = cluster.provider.addAccount();
  account.always(textResponse());
  await first.api.importAccount(account);
  expect(await first.ask()).toBe(200);
  await vi.waitUntil(() => completedIn(cluster.database.log).length === 1, soon);
  const backup = cluster.database.backup();
  for (let lost = 0; lost < 3; lost += 1) expect(await first.ask()).toBe(200);
  await vi.waitUntil(() => completedIn(cluster.database.log).length === 4, soon);
  // What the store has is deleted from the outbox, except the last event of each stream.
  const outboxPath = join(await cluster.folderOf('a'), 'outbox.sqlite');
  await vi.waitUntil(() => eventsIn(outboxPath) <= 2, soon);
  await cluster.server.kill();
  expect([await first.ask(), await first.ask()]).toEqual([200, 200]);
  await first.service.kill();

  await cluster.server.swapData(backup);
  expect(await cluster.command('a', 'accept-loss')).toMatchObject({ exitCode: 0, stderr: [] });
  const second = await cluster.inProcessNode('a');
  expect(await second.ask()).toBe(200);
  await vi.waitUntil(() => completedIn(backup.log).length === 2, soon);
  const outbox = async () => (await second.api.call('GET', '/api/status')).outbox;
  // The two requests of the outage, and the last of the lost ones, follow events that the backup lacks. They wait for a
  // minute, in case that the store is only behind.
  await vi.waitUntil(async () => (await outbox()).pending === 0, { timeout: 90_000, interval: 500 });
  expect(await outbox()).toMatchObject({ parked: 3, trouble: null });
  await second.stop();

  const retried = await cluster.command('a', 'outbox', 'retry');
  expect(retried).toMatchObject({ exitCode: 0, stderr: [] });
  const third = await cluster.inProcessNode('a');
  await vi.waitUntil(() => completedIn(backup.log).length === 5, soon);
  await vi.waitUntil(async () => (await third.api.requestLog()).total === 5, soon);
  expect(new Set(completedIn(backup.log)).size).toBe(5);
  const { problems, outbox: rest } = await third.api.call('GET', '/api/status');
  expect({ problems, rest }).toMatchObject({ problems: [], rest: { pending: 0, parked: 0 } });
  await third.stop();
}, 180_000);
