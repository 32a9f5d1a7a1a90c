import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startChild } from '../../../test/contract/children/child.ts';
import { committed } from '../../../test/contract/eventLog/outcomes.ts';
import { anEvent, someEvents } from '../../../test/contract/events.ts';
import {
  type ReplicationTargetOverLog,
  replicationTargetOverLog,
} from '../../../test/contract/replicationTargetOverLog.ts';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import { waitOptions } from '../../../test/support/waitOptions.ts';
import { position } from '../../domain/core/brands.ts';
import { type EventLog, type EventToAppend, NO_STREAM, type RecordedEvent, type StoredEvent } from '../eventLog.ts';
import { createEventSink } from '../eventSink.ts';
import { isBreak, verifyStream } from '../hashChain.ts';
import { createSqliteEventLog } from '../sqlite/sqliteEventLog.ts';
import { type Outbox, type OutboxOptions, openOutbox } from './outbox.ts';

interface Stage {
  readonly store: ReplicationTargetOverLog;
  readonly log: EventLog;
  readonly reports: string[];
  readonly path: string;
  open(options?: Partial<OutboxOptions>): Promise<Outbox>;
  /** The events in the store, in its order. */
  drained(): Promise<StoredEvent[]>;
}

async function aStage(): Promise<Stage> {
  const folder = await tempFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const log = await createSqliteEventLog({ path: join(folder.path, 'store.sqlite'), node: 'n1' });
  onTestFinished(() => log.close());
  const store = replicationTargetOverLog(log);
  const path = join(folder.path, 'outbox.sqlite');
  const reports: string[] = [];
  const report = (message: string | Error) => {
    reports.push(typeof message === 'string' ? message : message.message);
  };
  return {
    store,
    log,
    reports,
    path,
    async open(options = {}) {
      const outbox = await openOutbox({ path, node: 'n1', store, maxEvents: 1_000, report, ...options });
      onTestFinished(() => outbox.close(0));
      return outbox;
    },
    drained: () => Array.fromAsync(log.readAll(position(0))),
  };
}

const sinkOf = (outbox: Outbox, boot = 'b1', category = 'requests') =>
  createEventSink({ log: outbox, node: 'n1', boot, category });

const ids = (events: readonly { readonly id: string }[]) => events.map(({ id }) => id);
const untilDrained = (outbox: Outbox) => vi.waitUntil(() => outbox.pending === 0, { timeout: 10_000, interval: 5 });
const recordAll = (outbox: Outbox, events: readonly EventToAppend[], boot?: string) => {
  const sink = sinkOf(outbox, boot);
  return Promise.all(events.map((event) => sink.record(event)));
};

test('copies events to the store in order, with unchanged bytes and hashes', async () => {
  const stage = await aStage();
  const outbox = await stage.open();
  const local: StoredEvent[] = [];
  const [requests, sessions] = [sinkOf(outbox), sinkOf(outbox, 'b1', 'sessions')];
  const events = someEvents(700);
  await Promise.all(events.map((event, index) => (index % 50 === 0 ? sessions : requests).record(event)));
  local.push(...(await rowsOf(stage.path)));
  outbox.start();
  await untilDrained(outbox);
  const drained = await stage.drained();
  expect(drained).toEqual(local);
  for (const stream of Object.values(Object.groupBy(drained, (event) => event.stream))) {
    expect(isBreak(verifyStream(stream ?? []))).toBe(false);
  }
});

test('records events while the store is unreachable, and drains each once and in order later', async () => {
  const stage = await aStage();
  const outbox = await stage.open();
  outbox.start();
  stage.store.isUnreachable = true;
  const events = someEvents(450);
  await recordAll(outbox, events);
  await vi.waitUntil(() => outbox.blockedReason !== undefined, waitOptions);
  expect(outbox.pending).toBe(450);
  expect(outbox.blockedReason).toBe('the store is unreachable');
  stage.store.isUnreachable = false;
  await untilDrained(outbox);
  expect(ids(await stage.drained())).toEqual(ids(events));
  expect(outbox.blockedReason).toBeUndefined();
  expect(stage.reports).toEqual([
    'events wait in the outbox: the store is unreachable',
    'the store accepts events from the outbox again',
  ]);
});

test('collects events that are recorded one by one into few appends', async () => {
  const { store, open, drained } = await aStage();
  const outbox = await open();
  outbox.start();
  const since = performance.now();
  for (let revision = NO_STREAM; revision < 150; revision += 1) {
    await committed(outbox.append('requests-n1.b1_20260101', revision, [anEvent()]));
  }
  const passedMs = performance.now() - since;
  await vi.waitUntil(() => outbox.pending === 0, { timeout: 10_000 });
  expect(await drained()).toHaveLength(151);
  expect(store.sizes.length).toBeLessThan(passedMs / 20 + 10);
});

test('does not write an append of unknown outcome twice', async () => {
  const stage = await aStage();
  const outbox = await stage.open();
  stage.store.deliveries.push('response lost', 'response lost');
  const events = someEvents(300);
  await recordAll(outbox, events);
  outbox.start();
  await untilDrained(outbox);
  expect(ids(await stage.drained())).toEqual(ids(events));
});

test('drains the events of an earlier start before its own', async () => {
  const stage = await aStage();
  stage.store.isUnreachable = true;
  const first = await stage.open();
  const before = someEvents(20);
  await recordAll(first, before);
  await first.close(0);
  stage.store.isUnreachable = false;
  const second = await stage.open();
  expect(second.pending).toBe(20);
  const followed: RecordedEvent[] = [];
  await second.follow((events) => followed.push(...events));
  expect(followed.map(({ revision }) => revision)).toEqual(before.map((_, index) => index));
  const after = someEvents(5);
  await recordAll(second, after, 'b2');
  second.start();
  await untilDrained(second);
  expect(ids(await stage.drained())).toEqual(ids([...before, ...after]));
});

test('skips events that the store already has, whatever batches they were written in', async () => {
  const stage = await aStage();
  const first = await stage.open();
  const events = someEvents(90);
  await recordAll(first, events);
  // As after a crash between the commit in the store and the deletion here.
  const written = (await rowsOf(stage.path)).slice(0, 35);
  expect(await stage.store.append(written)).toMatchObject({ kind: 'committed' });
  await first.close(0);
  const second = await stage.open();
  const followed: RecordedEvent[] = [];
  await second.follow((batch) => followed.push(...batch));
  expect(followed).toHaveLength(55);
  second.start();
  await untilDrained(second);
  expect(ids(await stage.drained())).toEqual(ids(events));
});

test('passes an event to followers before its append resolves', async () => {
  const stage = await aStage();
  const outbox = await stage.open();
  const followed: RecordedEvent[] = [];
  await outbox.follow((batch) => followed.push(...batch));
  await sinkOf(outbox).record(anEvent());
  expect(followed).toHaveLength(1);
});

test('reports that it is full at the limit and still accepts events', async () => {
  const stage = await aStage();
  stage.store.isUnreachable = true;
  const outbox = await stage.open({ maxEvents: 10 });
  outbox.start();
  await recordAll(outbox, someEvents(9));
  expect(outbox.isFull).toBe(false);
  await recordAll(outbox, someEvents(3), 'b2');
  expect([outbox.isFull, outbox.pending]).toEqual([true, 12]);
  stage.store.isUnreachable = false;
  await untilDrained(outbox);
  expect(outbox.isFull).toBe(false);
});

test('splits an append that the store rejects as too large', async () => {
  const stage = await aStage();
  const outbox = await stage.open();
  const events = someEvents(100);
  await recordAll(outbox, events);
  const tooLarge = { kind: 'rejected', reason: 'larger than 1 MiB' } as const;
  stage.store.deliveries.push(tooLarge, tooLarge);
  outbox.start();
  await untilDrained(outbox);
  expect(stage.store.sizes.slice(0, 3)).toEqual([100, 50, 25]);
  expect(ids(await stage.drained())).toEqual(ids(events));
});

test('keeps an event that the store rejects, and all events after it', async () => {
  const stage = await aStage();
  const outbox = await stage.open();
  const rejected = { kind: 'rejected', reason: 'access denied' } as const;
  stage.store.deliveries.push(rejected, rejected);
  await recordAll(outbox, someEvents(1));
  outbox.start();
  await vi.waitUntil(() => outbox.blockedReason === 'access denied', waitOptions);
  await untilDrained(outbox);
  expect(stage.reports[0]).toBe('events wait in the outbox: access denied');
});

test('stops with a clear reason when a stream in the store has other events or a gap', async () => {
  const stage = await aStage();
  const outbox = await stage.open();
  await recordAll(outbox, someEvents(3));
  const [{ stream }] = (await rowsOf(stage.path)) as [StoredEvent];
  await stage.log.append(stream, NO_STREAM, someEvents(1));
  outbox.start();
  await vi.waitUntil(() => outbox.blockedReason !== undefined, waitOptions);
  expect(outbox.blockedReason).toContain(`other events in ${stream}`);
  expect(outbox.pending).toBe(3);

  const restored = await aStage();
  const ahead = await restored.open();
  await recordAll(ahead, someEvents(3));
  restored.store.deliveries.push({ kind: 'conflict', actualRevision: -5 });
  ahead.start();
  await vi.waitUntil(() => ahead.blockedReason !== undefined, waitOptions);
  expect(ahead.blockedReason).toContain('restored from an older copy');
});

test('deletes drained events and continues their chain', async () => {
  const stage = await aStage();
  const outbox = await stage.open();
  outbox.start();
  const sink = sinkOf(outbox);
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(someEvents(800).map((event) => sink.record(event)));
    await untilDrained(outbox);
  }
  await vi.waitUntil(async () => (await rowsOf(stage.path)).length === 1, { timeout: 5_000, interval: 50 });
  await sink.record(anEvent());
  await outbox.close();
  expect(await rowsOf(stage.path)).toEqual([]);
  const drained = await stage.drained();
  expect(drained).toHaveLength(2_401);
  expect(isBreak(verifyStream(drained))).toBe(false);
});

test('closes without waiting when the store is unreachable', async () => {
  const stage = await aStage();
  const outbox = await stage.open();
  stage.store.isUnreachable = true;
  await recordAll(outbox, someEvents(3));
  outbox.start();
  await vi.waitUntil(() => outbox.blockedReason !== undefined, waitOptions);
  await outbox.close(60_000);
  expect(await rowsOf(stage.path)).toHaveLength(3);
});

test('drains every durable event once, with an intact chain, after kill -9 at any instant', {
  timeout: 60_000,
}, async () => {
  await using folder = await tempFolder();
  const recorded = new Set<string>();
  for (let boot = 1; boot <= 3; boot += 1) {
    await using child = startChild('outboxForever.ts', folder.path, String(boot));
    for (let line = 0; line < 60 * boot; line += 1) recorded.add(String((await child.lines.next()).value));
    await child.kill();
    for (let rest = await child.lines.next(); !rest.done; rest = await child.lines.next()) {
      if (rest.value.length === 36) recorded.add(rest.value);
    }
  }
  const log = await createSqliteEventLog({ path: join(folder.path, 'store.sqlite'), node: 'n1' });
  const inStore = (await Array.fromAsync(log.readAll(position(0)))).length;
  const outbox = await openOutbox({
    path: join(folder.path, 'outbox.sqlite'),
    node: 'n1',
    store: replicationTargetOverLog(log),
    maxEvents: 1_000,
    report: () => {},
  });
  outbox.start();
  await untilDrained(outbox);
  await outbox.close();
  const drained = await Array.fromAsync(log.readAll(position(0)));
  await log.close();
  expect(inStore).toBeGreaterThan(0);
  expect(new Set(ids(drained)).size).toBe(drained.length);
  expect([...recorded].filter((id) => !drained.some((event) => event.id === id))).toEqual([]);
  const streams = Object.values(Object.groupBy(drained, (event) => event.stream));
  expect(streams).toHaveLength(3);
  for (const stream of streams) expect(isBreak(verifyStream(stream ?? []))).toBe(false);
});

/** All events in the file of an outbox. */
async function rowsOf(path: string): Promise<StoredEvent[]> {
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database.prepare('SELECT * FROM events ORDER BY position').all();
  database.close();
  return rows.map(({ version: _, data, metadata, ...row }) => ({
    ...row,
    data: JSON.parse(String(data)),
    metadata: JSON.parse(String(metadata)),
  })) as unknown as StoredEvent[];
}
