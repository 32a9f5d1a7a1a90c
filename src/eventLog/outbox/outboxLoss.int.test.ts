import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { someEvents } from '../../../test/contract/events.ts';
import { replicationTargetOverLog } from '../../../test/contract/replicationTargetOverLog.ts';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import { collectFaults } from '../../../test/support/collectFaults.ts';
import { position } from '../../domain/core/brands.ts';
import { createEventSink } from '../eventSink.ts';
import { createSqliteEventLog } from '../sqlite/sqliteEventLog.ts';
import { type Outbox, openOutbox } from './outbox.ts';
import { findOutboxLoss } from './outboxLoss.ts';

const soon = { timeout: 10_000, interval: 5 };

/** An outbox with its mark, over a store that a test can keep from taking events. */
async function aStage() {
  const folder = await tempFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const log = await createSqliteEventLog({ path: join(folder.path, 'store.sqlite'), node: 'n1' });
  onTestFinished(() => log.close());
  const store = replicationTargetOverLog(log);
  const [path, markPath] = [join(folder.path, 'outbox.sqlite'), join(folder.path, 'outbox.mark')];

  /** Records events in a start of their own. @param drains whether the store gets them */
  async function record(
    boot: string,
    count: number,
    drains: boolean,
    isDone = (outbox: Outbox) => outbox.pending === 0,
  ): Promise<void> {
    const outbox = await openOutbox({
      path,
      mark: { path: markPath, isPruned: true },
      node: 'n1',
      store,
      maxEvents: 1_000,
      faults: collectFaults(),
      report: () => undefined,
    });
    const sink = createEventSink({ log: outbox, node: 'n1', boot, category: 'requests' });
    await Promise.all(someEvents(count).map((event) => sink.record(event)));
    if (drains) {
      outbox.start();
      await vi.waitUntil(() => isDone(outbox), soon);
    }
    await outbox.close(0);
  }

  async function findLoss() {
    const last = new Map<string, number>();
    for await (const { stream, revision } of log.readAll(position(0))) last.set(stream, revision);
    return findOutboxLoss({ path, markPath, lastInHistory: (stream) => last.get(stream) ?? -1 });
  }

  const remove = () => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
  };
  return { store, path, markPath, record, findLoss, remove };
}

test('finds nothing missing while events wait, after they were drained, and in the next starts', async () => {
  const { record, findLoss } = await aStage();
  for (const [boot, drains] of [
    ['b1', false],
    ['b2', true],
    ['b3', true],
    ['b4', false],
  ] as const) {
    await record(boot, 7, drains);
    expect(await findLoss(), boot).toBeUndefined();
  }
});

test('counts the events that are neither in a deleted outbox nor in the history', async () => {
  const { record, findLoss, remove } = await aStage();
  await record('b1', 5, true);
  await record('b2', 7, false);
  await record('b3', 4, false);
  remove();
  expect(await findLoss()).toMatchObject({ lost: 11, known: { source: 'outbox.mark' }, found: { position: 0 } });
});

test('finds nothing missing in a deleted outbox whose events are all in the history', async () => {
  const { record, findLoss, remove } = await aStage();
  await record('b1', 5, true);
  remove();
  expect(await findLoss()).toBeUndefined();
  await record('b2', 3, false);
  expect(await findLoss()).toBeUndefined();
});

test.each(['append', 'stream'] as const)('does not take parked events for lost (%s)', async (scope) => {
  const { store, record, findLoss } = await aStage();
  store.refuse = (events) =>
    scope === 'stream' || events.some(({ type }) => type !== 'EventParked')
      ? { kind: 'rejected', reason: 'never', scope }
      : undefined;
  // The last event of the outbox is among them, so another one has taken its place.
  await record('b1', 3, true);
  expect(await findLoss()).toBeUndefined();
  await record('b2', 2, false);
  expect(await findLoss()).toBeUndefined();
});

test('does not take an event for another one that has taken the place of a parked one', async () => {
  const { store, record, findLoss } = await aStage();
  // What took the place is not drained, so the outbox ends with it.
  store.refuse = (events) =>
    events.some(({ type }) => type === 'EventParked')
      ? { kind: 'unknown', error: new Error('the store is unreachable') }
      : { kind: 'rejected', reason: 'never', scope: 'append' };
  await record('b1', 1, true, ({ parked }) => parked === 1);
  expect(await findLoss()).toBeUndefined();
  await record('b2', 2, false);
  expect(await findLoss()).toBeUndefined();
});

test('finds an outbox that is another one', async () => {
  const { path, record, findLoss } = await aStage();
  await record('b1', 3, false);
  using database = new DatabaseSync(path);
  database.exec(`UPDATE events SET metadata = json_set(metadata, '$.hash', 'other') WHERE position = 3`);
  database.close();
  expect(await findLoss()).toMatchObject({ lost: undefined });
});
