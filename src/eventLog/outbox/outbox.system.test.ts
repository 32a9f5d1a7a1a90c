import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startChild } from '../../../test/contract/children/child.ts';
import { committed } from '../../../test/contract/eventLog/outcomes.ts';
import { anEvent, someEvents } from '../../../test/contract/events.ts';
import { storedEvents } from '../../../test/contract/replicationTarget.ts';
import {
  type Delivery,
  type ReplicationTargetOverLog,
  refuseSome,
  replicationTargetOverLog,
} from '../../../test/contract/replicationTargetOverLog.ts';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import { collectFaults } from '../../../test/support/collectFaults.ts';
import { createRandom } from '../../../test/support/random.ts';
import { waitOptions } from '../../../test/support/waitOptions.ts';
import { position } from '../../domain/core/brands.ts';
import { type EventLog, type EventToAppend, NO_STREAM, type RecordedEvent, type StoredEvent } from '../eventLog.ts';
import { createEventSink } from '../eventSink.ts';
import { isBreak, verifyStream } from '../hashChain.ts';
import { createSqliteEventLog } from '../sqlite/sqliteEventLog.ts';
import { type Outbox, type OutboxOptions, openOutbox } from './outbox.ts';
import { listParked } from './parkedEvents.ts';

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
  const report = (error: Error) => void reports.push(error.message);
  return {
    store,
    log,
    reports,
    path,
    async open(options = {}) {
      const outbox = await openOutbox({
        path,
        node: 'n1',
        store,
        maxEvents: 1_000,
        faults: collectFaults(reports),
        report,
        ...options,
      });
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

const refusal = (reason: string, scope: 'append' | 'stream' = 'append') =>
  ({ kind: 'rejected', reason, scope }) as const;
const hashes = (events: readonly StoredEvent[]) => events.map(({ metadata }) => metadata.hash);

test('parks an event that the store will never take, and everything else goes on in order', async () => {
  const stage = await aStage();
  const outbox = await stage.open();
  const events = someEvents(40);
  const others = someEvents(5);
  await recordAll(outbox, events);
  await Promise.all(others.map((event) => sinkOf(outbox, 'b1', 'sessions').record(event)));
  const before = await rowsOf(stage.path);
  const [, bad, , worse] = events;
  stage.store.refuse = (batch) =>
    batch.some(({ id }) => id === bad?.id || id === worse?.id) ? refusal('it is too large') : undefined;
  outbox.start();
  await untilDrained(outbox);
  const drained = await stage.drained();
  const [requests = [], sessions = []] = Object.values(Object.groupBy(drained, (event) => event.stream));
  expect(requests).toHaveLength(40);
  expect(ids(sessions)).toEqual(ids(others));
  expect(requests.map(({ type }) => type)).toEqual(
    before.slice(0, 40).map((event, at) => (at === 1 || at === 3 ? 'EventParked' : event.type)),
  );
  expect(requests[1]?.data).toMatchObject({
    eventId: bad?.id,
    eventType: bad?.type,
    hash: before[1]?.metadata.hash,
    reason: 'it is too large',
  });
  // The others are unchanged, and so is the chain behind.
  expect(hashes(requests.slice(4))).toEqual(hashes(before.slice(4, 40)));
  for (const stream of [requests, sessions]) expect(isBreak(verifyStream(stream))).toBe(false);
  expect([outbox.pending, outbox.parked, outbox.blockedReason]).toEqual([0, 2, undefined]);
  expect(outbox.firstParked.map(({ id }) => id)).toEqual([bad?.id, worse?.id]);
  const stream = requests[0]?.stream;
  expect(stage.reports).toEqual(
    [bad, worse].map((event) => expect.stringContaining(`${event?.type} ${event?.id} of ${stream} (`)),
  );
  expect(stage.reports[0]).toMatch(
    /is parked in \S+outbox\.sqlite: it is too large\. Nothing is lost.*svc outbox retry.*svc outbox export/,
  );
});

test('keeps parked events over restarts, passes them to followers again, and counts them as used room', async () => {
  const stage = await aStage();
  const first = await stage.open();
  const events = someEvents(10);
  await recordAll(first, events);
  stage.store.refuse = (batch) => (batch.some(({ id }) => id === events[4]?.id) ? refusal('no') : undefined);
  first.start();
  await untilDrained(first);
  await first.close();
  stage.reports.length = 0;
  const second = await stage.open({ maxEvents: 3 });
  expect([second.pending, second.parked, second.isFull]).toEqual([0, 1, false]);
  expect(stage.reports).toEqual([expect.stringContaining(events[4]?.id as string)]);
  const followed: [number, boolean][] = [];
  await second.follow((batch, isParked) =>
    followed.push(...batch.map(({ revision }): [number, boolean] => [revision, isParked])),
  );
  expect(followed).toEqual([[4, true]]);
  stage.store.isUnreachable = true;
  await recordAll(second, someEvents(2), 'b2');
  expect(second.isFull).toBe(true);
  expect(followed.slice(1)).toEqual([
    [0, false],
    [1, false],
  ]);
});

test('names many parked events of an earlier start in one line', async () => {
  const stage = await aStage();
  const first = await stage.open();
  stage.store.refuse = (batch) => (batch.some(({ type }) => type !== 'EventParked') ? refusal('no') : undefined);
  const events = someEvents(30);
  await recordAll(first, events);
  first.start();
  await untilDrained(first);
  expect(stage.reports).toHaveLength(21);
  expect(stage.reports[20]).toMatch(/^21 events are parked in /);
  await first.close();
  stage.reports.length = 0;
  const second = await stage.open({ maxEvents: 30 });
  expect(second.firstParked.map(({ id }) => id)).toEqual(ids(events.slice(0, 20)));
  expect(stage.reports).toEqual([
    expect.stringMatching(
      new RegExp(
        `^30 events are parked in .* One is \\S+ ${events[0]?.id} of requests-\\S+: no\\. "svc outbox list" shows`,
      ),
    ),
  ]);
  expect(second.isFull).toBe(true);
  expect(stage.reports[1]).toContain('The outbox is full (0 waiting and 30 parked events, limit 30)');
});

test('passes parked events of an earlier start at their places between the pending ones', async () => {
  const stage = await aStage();
  const first = await stage.open();
  const events = someEvents(9);
  await recordAll(first, events);
  stage.store.refuse = (batch) => {
    if (batch.some(({ id }) => id === events[2]?.id || id === events[3]?.id)) return refusal('no');
    return batch.some(({ id }) => id === events[8]?.id) ? { kind: 'unknown', error: new Error('lost') } : undefined;
  };
  first.start();
  await vi.waitUntil(() => first.parked === 2 && first.blockedReason !== undefined, waitOptions);
  await first.close(0);
  const second = await stage.open();
  const followed: string[] = [];
  await second.follow((batch) => followed.push(...batch.map(({ revision, type }) => `${revision} ${type}`)));
  const drained = (await stage.drained()).length;
  const expected = events
    .map(({ type }, revision) => `${revision} ${type}`)
    .filter((_, at) => at === 2 || at === 3 || at >= drained);
  expect(followed).toEqual(expected);
});

test('parks everything of a stream that was deleted for good, and goes on in a fresh one', async () => {
  const stage = await aStage();
  const outbox = await stage.open();
  const sink = sinkOf(outbox);
  const others = someEvents(3);
  await Promise.all(someEvents(30).map((event) => sink.record(event)));
  await Promise.all(others.map((event) => sinkOf(outbox, 'b1', 'sessions').record(event)));
  const [{ stream }] = (await rowsOf(stage.path)) as [StoredEvent];
  stage.store.refuse = ([event]) => (event?.stream === stream ? refusal('it was deleted', 'stream') : undefined);
  outbox.start();
  await untilDrained(outbox);
  expect([outbox.parked, outbox.blockedReason]).toEqual([30, undefined]);
  expect(ids(await stage.drained())).toEqual(ids(others));
  const after = someEvents(4);
  await Promise.all(after.map((event) => sink.record(event)));
  await untilDrained(outbox);
  const fresh = (await stage.drained()).slice(3);
  expect(ids(fresh)).toEqual(ids(after));
  expect(new Set(fresh.map((event) => event.stream))).toEqual(new Set([`${stream}_2`]));
  expect(isBreak(verifyStream(fresh))).toBe(false);
  expect(stage.reports).toEqual([
    expect.stringMatching(
      new RegExp(`^30 events of ${stream} are parked in .*: it was deleted\\. The node goes on in another stream\\.`),
    ),
  ]);
});

test('does not park what the log has of a deleted stream', async () => {
  const stage = await aStage();
  const outbox = await stage.open();
  const events = someEvents(20);
  await recordAll(outbox, events);
  expect(await stage.store.append((await rowsOf(stage.path)).slice(0, 12))).toMatchObject({ kind: 'committed' });
  stage.store.refuse = () => refusal('it was deleted', 'stream');
  outbox.start();
  await untilDrained(outbox);
  expect(outbox.parked).toBe(8);
});

test.each([1, 2, 3, 4])(
  'drains or parks each event once, in order, over a store with random faults (%i)',
  async (seed) => {
    const random = createRandom(seed);
    const stage = await aStage();
    const outbox = await stage.open({ timing: { probeAfterMs: 60, maxPauseMs: 50 } });
    const categories = ['requests', 'sessions', 'refreshes'];
    const recorded = new Map<string, EventToAppend[]>(categories.map((category) => [category, someEvents(40)]));
    const bad = new Set([...recorded.values()].flat().flatMap(({ id }) => (random.chance(0.05) ? [id] : [])));
    let appendsUntilDeleted = random.chance(0.5) ? random.between(1, 6) : Number.POSITIVE_INFINITY;
    const fault: Delivery = { kind: 'unknown', error: new Error('lost') };
    stage.store.deliveries.push(
      ...Array.from(
        { length: 15 },
        (): Delivery => (random.chance(0.4) ? 'delivered' : random.chance(0.5) ? 'response lost' : fault),
      ),
    );
    stage.store.refuse = (batch) => {
      appendsUntilDeleted -= 1;
      if (appendsUntilDeleted < 0 && batch[0]?.stream.startsWith('sessions-') && !batch[0].stream.endsWith('_2')) {
        return refusal('deleted', 'stream');
      }
      return batch.some(({ id }) => bad.has(id)) ? refusal('too large') : undefined;
    };
    outbox.start();
    await Promise.all(
      categories.map((category) => {
        const sink = sinkOf(outbox, 'b1', category);
        return Promise.all((recorded.get(category) ?? []).map((event) => sink.record(event)));
      }),
    );
    await untilDrained(outbox);
    const drained = await stage.drained();
    for (const stream of Object.values(Object.groupBy(drained, (event) => event.stream))) {
      expect(isBreak(verifyStream(stream ?? []))).toBe(false);
    }
    const database = new DatabaseSync(stage.path, { readOnly: true });
    const parked = listParked(database)
      .map(({ id }) => id)
      .toArray();
    database.close();
    for (const [category, events] of recorded) {
      const inLog = ids(
        drained.filter(({ stream, type }) => stream.startsWith(`${category}-`) && type !== 'EventParked'),
      );
      const expected = events.filter(({ id }) => !parked.includes(id));
      expect(inLog).toEqual(ids(expected));
      if (category !== 'sessions')
        expect(ids(events).filter((id) => parked.includes(id))).toEqual(ids(events).filter((id) => bad.has(id)));
    }
    expect(outbox.parked).toBe(parked.length);
    expect(outbox.blockedReason).toBeUndefined();
  },
);

test('tries an event that cannot be parked again, and loses nothing of it', async () => {
  const stage = await aStage();
  const outbox = await stage.open({ maxBytes: 400_000 });
  await recordAll(outbox, someEvents(1));
  const huge = { ...anEvent(), correlationId: 'x'.repeat(60_000) };
  await recordAll(outbox, [huge], 'b2');
  for (let boot = 3; boot < 100; boot += 1) {
    const filled = await outbox.append(`requests-n1.b${boot}_20260101`, NO_STREAM, someEvents(60));
    if (filled.kind !== 'committed') break;
  }
  stage.store.refuse = (batch) => (batch.some(({ id }) => id === huge.id) ? refusal('no') : undefined);
  outbox.start();
  await vi.waitUntil(() => outbox.blockedReason?.includes('cannot be parked'), waitOptions);
  expect([outbox.parked, (await rowsOf(stage.path)).some(({ id }) => id === huge.id)]).toEqual([0, true]);
});

test('holds only the stream that the store does not take now, and drains it when it does', async () => {
  const stage = await aStage();
  const outbox = await stage.open({ timing: { probeAfterMs: 20, maxPauseMs: 50 } });
  const events = someEvents(10);
  const others = someEvents(10);
  await recordAll(outbox, events);
  await Promise.all(others.map((event) => sinkOf(outbox, 'b1', 'sessions').record(event)));
  stage.store.refuse = ([event]) =>
    event?.stream.startsWith('requests-') ? { kind: 'unknown', error: new Error('access denied') } : undefined;
  outbox.start();
  await vi.waitUntil(() => outbox.pending === 10, waitOptions);
  expect(ids(await stage.drained())).toEqual(ids(others));
  await vi.waitUntil(
    () => stage.reports.some((line) => /^Events of requests-\S+ wait in the outbox: access denied\./.test(line)),
    waitOptions,
  );
  expect(outbox.blockedReason).toBe('access denied');
  stage.store.refuse = () => undefined;
  await untilDrained(outbox);
  await vi.waitUntil(() => outbox.blockedReason === undefined, waitOptions);
  expect(ids(await stage.drained())).toEqual(ids([...others, ...events]));
});

test('parks a stream that stays another one in the store, and drains one that is mended', async () => {
  const stage = await aStage();
  const outbox = await stage.open({ timing: { confirmMs: 200, maxPauseMs: 50 } });
  await recordAll(outbox, someEvents(3));
  const others = someEvents(3);
  await Promise.all(others.map((event) => sinkOf(outbox, 'b1', 'sessions').record(event)));
  const [{ stream }] = (await rowsOf(stage.path)) as [StoredEvent];
  const foreign = someEvents(1);
  await stage.log.append(stream, NO_STREAM, foreign);
  stage.store.deliveries.push('delivered', { kind: 'conflict', actualRevision: -5 });
  outbox.start();
  await vi.waitUntil(() => outbox.blockedReason !== undefined, waitOptions);
  expect(stage.reports.join(' ')).toContain(`other events in ${stream} than this node wrote`);
  expect(stage.reports.join(' ')).toContain('restored from an older copy');
  await vi.waitUntil(() => outbox.parked === 3, waitOptions);
  await untilDrained(outbox);
  expect(ids(await stage.drained())).toEqual(ids([...foreign, ...others]));
  expect(outbox.blockedReason).toBeUndefined();
});

test('counts events as drained that the store has and does not show any more, and names the stream', async () => {
  const stage = await aStage();
  const outbox = await stage.open();
  await recordAll(outbox, someEvents(3));
  const [{ stream }] = (await rowsOf(stage.path)) as [StoredEvent];
  stage.store.deliveries.push({ kind: 'committed', isHidden: true });
  outbox.start();
  await untilDrained(outbox);
  expect(stage.reports).toEqual([expect.stringContaining(`EventStoreDB has hidden events of ${stream}`)]);
});

test('does not spin on a conflict whose events nobody can find', async () => {
  const stage = await aStage();
  const outbox = await stage.open();
  await recordAll(outbox, someEvents(3));
  const times: number[] = [];
  stage.store.refuse = ([event]) => {
    times.push(performance.now());
    return { kind: 'conflict', actualRevision: (event?.revision ?? 0) - 1 };
  };
  outbox.start();
  await vi.waitUntil(() => times.length === 5, waitOptions);
  // Pauses of 50, 100, 200 and 400 ms.
  expect((times[4] as number) - (times[0] as number)).toBeGreaterThan(700);
  expect(outbox.blockedReason).toContain('has changed during the append');
  stage.store.refuse = () => undefined;
  await untilDrained(outbox);
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

test('loses nothing of the file of an older version, which cannot park', async () => {
  const stage = await aStage();
  const database = new DatabaseSync(stage.path);
  database.exec(`
    CREATE TABLE events (position INTEGER PRIMARY KEY AUTOINCREMENT, stream TEXT NOT NULL, revision INTEGER NOT NULL,
      id TEXT NOT NULL UNIQUE, type TEXT NOT NULL, version INTEGER NOT NULL, time INTEGER NOT NULL, data TEXT NOT NULL,
      metadata TEXT NOT NULL, UNIQUE (stream, revision)) STRICT;
    PRAGMA user_version = 1;`);
  const events = storedEvents('requests-n1.b0_20260101', 12);
  for (const { stream, revision, id, type, time, data, metadata } of events) {
    database
      .prepare(
        'INSERT INTO events (stream, revision, id, type, version, time, data, metadata) VALUES (?,?,?,?,?,?,?,?)',
      )
      .run(stream, revision, id, type, metadata.schemaVersion, time, JSON.stringify(data), JSON.stringify(metadata));
  }
  database.close();
  const bad = events[5];
  stage.store.refuse = (batch) => (batch.some(({ id }) => id === bad?.id) ? refusal('too large') : undefined);
  const outbox = await stage.open({ node: 'test' });
  expect([outbox.pending, outbox.parked]).toEqual([12, 0]);
  outbox.start();
  await untilDrained(outbox);
  expect(outbox.firstParked.map(({ id }) => id)).toEqual([bad?.id]);
  const drained = await stage.drained();
  expect(ids(drained.toSpliced(5, 1))).toEqual(ids(events.toSpliced(5, 1)));
  expect(drained[5]).toMatchObject({ type: 'EventParked', data: { eventId: bad?.id } });
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
