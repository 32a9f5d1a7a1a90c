import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { startChild } from '../../../test/contract/children/child.ts';
import {
  type ReplicationTargetOverLog,
  refuseSome,
  replicationTargetOverLog,
} from '../../../test/contract/replicationTargetOverLog.ts';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import { collectFaults } from '../../../test/support/collectFaults.ts';
import { position } from '../../domain/core/brands.ts';
import { isBreak, verifyStream } from '../hashChain.ts';
import { createSqliteEventLog } from '../sqlite/sqliteEventLog.ts';
import { openOutbox } from './outbox.ts';
import { ids, untilDrained } from './outboxStage.support.ts';
import { listParked } from './parkedEvents.ts';

/** Records in an outbox that drains, and kills it at three instants. @returns the ids that became durable */
async function recordAndKill(path: string, ...args: string[]): Promise<Set<string>> {
  const recorded = new Set<string>();
  for (let boot = 1; boot <= 3; boot += 1) {
    await using child = startChild('outboxForever.ts', path, String(boot), ...args);
    const lines = await child.take(60 * boot);
    await child.kill();
    for (const id of [...lines, ...(await child.rest())]) if (id.length === 36) recorded.add(id);
  }
  return recorded;
}

/** Drains an outbox into a log, both in one folder. @returns the events in the log, and the ids of the parked ones */
async function drainRest(path: string, refuse?: ReplicationTargetOverLog['refuse']) {
  const log = await createSqliteEventLog({ path: join(path, 'store.sqlite'), node: 'n1' });
  const inStore = (await Array.fromAsync(log.readAll(position(0)))).length;
  const store = replicationTargetOverLog(log);
  if (refuse) store.refuse = refuse;
  const file = { path: join(path, 'outbox.sqlite'), node: 'n1' };
  const outbox = await openOutbox({ ...file, store, maxEvents: 1_000, faults: collectFaults(), report: () => {} });
  outbox.start();
  await untilDrained(outbox);
  await outbox.close();
  const drained = await Array.fromAsync(log.readAll(position(0)));
  await log.close();
  const database = new DatabaseSync(file.path, { readOnly: true });
  const parked = listParked(database)
    .map(({ id }) => id)
    .toArray();
  database.close();
  expect(inStore).toBeGreaterThan(0);
  const streams = Object.values(Object.groupBy(drained, (event) => event.stream));
  expect(streams).toHaveLength(3);
  for (const stream of streams) expect(isBreak(verifyStream(stream ?? []))).toBe(false);
  return { drained, parked };
}

test('drains every durable event once, with an intact chain, after kill -9 at any instant', {
  timeout: 60_000,
}, async () => {
  await using folder = await tempFolder();
  const recorded = await recordAndKill(folder.path);
  const { drained } = await drainRest(folder.path);
  expect(new Set(ids(drained)).size).toBe(drained.length);
  expect([...recorded].filter((id) => !drained.some((event) => event.id === id))).toEqual([]);
});

test('parks or drains every durable event once after kill -9 while it parks', { timeout: 60_000 }, async () => {
  await using folder = await tempFolder();
  const recorded = await recordAndKill(folder.path, 'refusing');
  const { drained, parked } = await drainRest(folder.path, refuseSome);
  const standIns = drained.filter(({ type }) => type === 'EventParked');
  const events = drained.filter(({ type }) => type !== 'EventParked');
  expect(parked.length).toBeGreaterThan(0);
  expect(standIns.map(({ data }) => (data as { eventId: string }).eventId).toSorted()).toEqual(parked.toSorted());
  const all = [...ids(events), ...parked];
  expect(new Set(all).size).toBe(all.length);
  expect([...recorded].filter((id) => !all.includes(id))).toEqual([]);
  expect([...recorded].filter((id) => id.endsWith('0') !== parked.includes(id))).toEqual([]);
});
