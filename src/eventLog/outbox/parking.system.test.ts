import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import { anEvent, someEvents } from '../../../test/contract/events.ts';
import { storedEvents } from '../../../test/contract/replicationTarget.ts';
import type { Delivery } from '../../../test/contract/replicationTargetOverLog.ts';
import { createRandom } from '../../../test/support/random.ts';
import { waitOptions } from '../../../test/support/waitOptions.ts';
import { type EventToAppend, NO_STREAM, type StoredEvent } from '../eventLog.ts';
import { isBreak, verifyStream } from '../hashChain.ts';
import { aStage, hashes, ids, recordAll, refusal, rowsOf, sinkOf, untilDrained } from './outboxStage.support.ts';
import { listParked } from './parkedEvents.ts';

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
