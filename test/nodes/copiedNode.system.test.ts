import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { type Position, position } from '../../src/domain/core/brands.ts';
import type { StoredEvent } from '../../src/eventLog/eventLog.ts';
import { isBreak, verifyStream } from '../../src/eventLog/hashChain.ts';
import { createReader } from '../../src/eventLog/sqlite/reader.ts';
import { copyDataFolder } from '../durability/support/copyDataFolder.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { openCluster } from './cluster.ts';

const SLOW = { timeout: 90_000 };
const soon = { timeout: 30_000, interval: 20 };
const END = position(Number.MAX_SAFE_INTEGER);

function eventsIn(mirror: string): StoredEvent[] {
  const reader = createReader(mirror);
  const events: StoredEvent[] = [];
  for (let at: Position = position(0); ; at = (events.at(-1) as StoredEvent).position) {
    const page = reader.storedPage(at, END);
    if (page.length === 0) break;
    events.push(...page);
  }
  reader.close();
  return events;
}

test('runs a copied folder beside its original without forking a stream', SLOW, async () => {
  const cluster = await openCluster();
  const original = await cluster.node('a');
  const account = cluster.provider.addAccount();
  account.always(textResponse());
  await original.api.importAccount(account);
  expect(await original.ask()).toBe(200);
  await cluster.stopEventStore();
  expect([await original.ask(), await original.ask()]).toEqual([200, 200]);
  // Two completed requests are in the outbox, and so in the copy.
  await copyDataFolder(original.service, await cluster.folderOf('a'), await cluster.folderOf('copy'));
  await cluster.restartEventStore();
  const copy = await cluster.node('copy', { SVC_NODE_ID: 'a' });
  const statuses = await Promise.all(Array.from({ length: 10 }, (_, turn) => (turn % 2 ? copy : original).ask()));
  expect(new Set(statuses)).toEqual(new Set([200]));

  const completed = () => cluster.database.log.filter(({ type }) => type === 'RequestCompleted');
  await vi.waitUntil(() => completed().length === 13, soon);
  for (const { api } of [original, copy]) {
    await vi.waitFor(async () => expect((await api.requestLog()).total).toBe(13), soon);
  }
  for (const node of [original, copy]) expect(await node.stop()).toMatchObject({ exitCode: 0 });

  expect(new Set(completed().map(({ id }) => id)).size).toBe(13);
  expect(new Set(completed().map(({ stream }) => stream)).size).toBe(2);
  const histories = await Promise.all(
    ['a', 'copy'].map(async (name) => eventsIn(join(await cluster.folderOf(name), 'mirror.sqlite'))),
  );
  for (const events of histories) {
    for (const stream of Object.values(Object.groupBy(events, (event) => event.stream))) {
      expect(isBreak(verifyStream(stream ?? []))).toBe(false);
    }
  }
});
