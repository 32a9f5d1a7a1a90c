import { expect, test, vi } from 'vitest';
import { committed } from '../../../test/contract/eventLog/outcomes.ts';
import { anEvent, someEvents } from '../../../test/contract/events.ts';
import { waitOptions } from '../../../test/support/waitOptions.ts';
import { NO_STREAM, type RecordedEvent, type StoredEvent } from '../eventLog.ts';
import { isBreak, verifyStream } from '../hashChain.ts';
import { aStage, ids, recordAll, refusal, rowsOf, sinkOf, untilDrained } from './outboxStage.support.ts';

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
    expect.stringMatching(/^\d+ events? waits? in the outbox for EventStoreDB: the store is unreachable\. Requests/),
    'EventStoreDB accepts events from the outbox again.',
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
  expect(stage.reports.filter((line) => line.includes('outbox is full') || line.includes('has room'))).toEqual([
    expect.stringContaining('The outbox is full (12 waiting and 0 parked events, limit 10)'),
    'The outbox has room again; model requests are served.',
  ]);
});

test('splits an append that the store rejects as too large', async () => {
  const stage = await aStage();
  const outbox = await stage.open();
  const events = someEvents(100);
  await recordAll(outbox, events);
  const tooLarge = { kind: 'rejected', reason: 'larger than 1 MiB', scope: 'append' } as const;
  stage.store.deliveries.push(tooLarge, tooLarge);
  outbox.start();
  await untilDrained(outbox);
  expect(stage.store.sizes.slice(0, 3)).toEqual([100, 50, 25]);
  expect(ids(await stage.drained())).toEqual(ids(events));
});
test('sends no more bytes at once than every server takes, metadata included', async () => {
  const stage = await aStage();
  const outbox = await stage.open();
  const bytes: number[] = [];
  stage.store.refuse = (batch) => {
    bytes.push(JSON.stringify(batch).length);
    return undefined;
  };
  await recordAll(
    outbox,
    someEvents(100).map((event) => ({ ...event, correlationId: 'x'.repeat(30_000) })),
  );
  outbox.start();
  await untilDrained(outbox);
  expect(Math.max(...bytes)).toBeLessThan(600_000);
  expect(bytes.length).toBeLessThan(12);
});

test('keeps to the limit that a store names, instead of trying larger appends again', async () => {
  const stage = await aStage();
  const outbox = await stage.open();
  stage.store.refuse = (batch) =>
    JSON.stringify(batch).length > 20_000 ? { ...refusal('too large'), maxBytes: 20_000 } : undefined;
  await recordAll(outbox, someEvents(400));
  outbox.start();
  await untilDrained(outbox);
  expect(outbox.parked).toBe(0);
  const refused = stage.store.sizes.filter((size) => size > 60).length;
  expect(refused).toBeLessThan(3);
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
  await vi.waitUntil(async () => (await rowsOf(stage.path)).length === 1, { timeout: 15_000, interval: 50 });
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
