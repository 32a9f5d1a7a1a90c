import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type Position, position } from '../../../src/domain/core/brands.ts';
import { UnknownEventType } from '../../../src/domain/eventTypes.ts';
import { type EventLog, NO_STREAM } from '../../../src/eventLog/eventLog.ts';
import { collect } from '../collector.ts';
import type { LogFactory } from '../eventLog.ts';
import { anEvent, aStream, someEvents } from '../events.ts';
import { committed, readStored } from './outcomes.ts';

export function describeFollowing(createStore: LogFactory): void {
  describe('following', () => {
    test('delivers existing events, calls onCaughtUp once, then delivers new events', async () => {
      await using store = await createStore();
      const log = await store.open();
      const before = await log.head();
      const stream = aStream();
      await committed(log.append(stream, NO_STREAM, someEvents(1_300)));
      let atCatchUp = 0;
      using seen = collect(log, before);
      await seen.caughtUp;
      atCatchUp = seen.events.length;
      const { position: last } = await committed(log.append(stream, 1_299, someEvents(3)));
      await seen.until(1_303);
      expect(atCatchUp).toBe(1_300);
      expect(seen.timesCaughtUp).toBe(1);
      expect(seen.positions).toEqual(consecutive(before, last));
      await log.close();
    });

    test('delivers an event live exactly as it is read later', async () => {
      await using store = await createStore();
      const log = await store.open();
      const before = await log.head();
      const stream = aStream();
      using live = collect(log, before);
      await live.caughtUp;
      await committed(log.append(stream, NO_STREAM, someEvents(2)));
      await live.until(2);
      using later = collect(log, before);
      await later.until(2);
      expect(live.events).toEqual(later.events);
      const [stored] = await readStored(log, stream);
      expect(live.events[0]).toEqual({
        type: stored?.type,
        data: stored?.data,
        position: stored?.position,
        time: stored?.time,
        stream,
        revision: 0,
      });
      await log.close();
    });

    test('calls onCaughtUp at once when subscribed at the head', async () => {
      await using store = await createStore();
      const log = await store.open();
      using seen = collect(log, await log.head());
      await seen.caughtUp;
      expect(seen.events).toEqual([]);
      await log.close();
    });

    test('resumes without gap or repeat during concurrent appends', async () => {
      await using store = await createStore();
      const log = await store.open();
      const before = await log.head();
      const writing = Promise.all(Array.from({ length: 8 }, () => appendOneByOne(log, aStream(), 100)));
      const handled: Position[] = [];
      for (const portion of [1, 7, 50, 113, 200, 429]) {
        const seen = collect(log, handled.at(-1) ?? before);
        await seen.until(Math.min(portion, 800 - handled.length));
        seen.stop();
        handled.push(...seen.positions);
      }
      await writing;
      using rest = collect(log, handled.at(-1) ?? before);
      await rest.caughtUp;
      handled.push(...rest.positions);
      expect(handled).toEqual(consecutive(before, await log.head()));
      expect(handled).toHaveLength(800);
      await log.close();
    });

    test('delivers to a slow subscriber once and in order, one batch at a time', async () => {
      await using store = await createStore();
      const log = await store.open();
      const before = await log.head();
      let calls = 0;
      let maxCalls = 0;
      using slow = collect(log, before, async () => {
        calls += 1;
        maxCalls = Math.max(maxCalls, calls);
        for (let turn = 0; turn < 20; turn += 1) await nextTurn();
        calls -= 1;
      });
      await Promise.all(Array.from({ length: 10 }, () => appendOneByOne(log, aStream(), 60)));
      await slow.until(600);
      expect(slow.positions).toEqual(consecutive(before, await log.head()));
      expect(maxCalls).toBe(1);
      await log.close();
    });

    test('loses and repeats nothing for a subscriber that blocks during thousands of appends', async () => {
      await using store = await createStore();
      const log = await store.open();
      const before = await log.head();
      const gate = Promise.withResolvers<void>();
      using blocked = collect(log, before, () => gate.promise);
      await blocked.caughtUp;
      await committed(log.append(aStream(), NO_STREAM, [anEvent()]));
      await blocked.until(1);
      for (let append = 0; append < 30; append += 1) await committed(log.append(aStream(), NO_STREAM, someEvents(200)));
      expect(blocked.events.length).toBeLessThan(6_001);
      gate.resolve();
      await blocked.until(6_001);
      const { position: last } = await committed(log.append(aStream(), NO_STREAM, [anEvent()]));
      await blocked.until(6_002);
      expect(blocked.positions).toEqual(consecutive(before, last));
      await log.close();
    });

    test('delivers nothing after stop, even when stopped from the callback', async () => {
      await using store = await createStore();
      const log = await store.open();
      const before = await log.head();
      await committed(log.append(aStream(), NO_STREAM, someEvents(1_500)));
      const stopped = collect(log, before, () => stopped.stop());
      using other = collect(log, before);
      await other.caughtUp;
      const seen = stopped.events.length;
      await committed(log.append(aStream(), NO_STREAM, someEvents(2)));
      await other.until(1_502);
      expect(stopped.events).toHaveLength(seen);
      expect(stopped.timesCaughtUp).toBe(0);
      await log.close();
    });

    test.each([
      ['throws', () => broken()],
      ['rejects', async () => broken()],
    ])('ends the subscription of a subscriber that %s, without harm to appends and others', async (_, onBatch) => {
      await using store = await createStore();
      const log = await store.open();
      const stream = aStream();
      using failing = collect(log, await log.head(), onBatch);
      using healthy = collect(log, await log.head());
      await Promise.all([failing.caughtUp, healthy.caughtUp]);
      await committed(log.append(stream, NO_STREAM, [anEvent()]));
      expect((await failing.failure).message).toBe('the fold is broken');
      await committed(log.append(stream, 0, [anEvent()]));
      await healthy.until(2);
      expect(failing.events).toHaveLength(1);
      await log.close();
    });

    test('fails at an event of unknown type, after delivering all events before it', async () => {
      await using store = await createStore();
      const log = await store.open();
      const before = await log.head();
      const stream = aStream();
      await committed(log.append(stream, NO_STREAM, someEvents(3)));
      await log.close();
      await store.writeUnknownType(aStream());
      const again = await store.open();
      await committed(again.append(stream, 2, someEvents(3)));
      const seen = collect(again, before);
      const failure = await seen.failure;
      expect(failure).toBeInstanceOf(UnknownEventType);
      expect(seen.events.map(({ revision }) => revision)).toEqual([0, 1, 2]);
      expect(seen.timesCaughtUp).toBe(0);
      await again.close();
    });

    test('fails for a position beyond the head', async () => {
      await using store = await createStore();
      const log = await store.open();
      const seen = collect(log, position((await log.head()) + 1));
      expect(await seen.failure).toMatchObject({ code: 'POSITION_BEYOND_LOG' });
      expect(seen.timesCaughtUp).toBe(0);
      await log.close();
    });
  });
}

function broken(): never {
  throw new Error('the fold is broken');
}

async function appendOneByOne(log: EventLog, stream: string, count: number): Promise<void> {
  for (let revision = NO_STREAM; revision < count - 1; revision += 1) {
    await committed(log.append(stream, revision, [anEvent()]));
  }
}

const consecutive = (after: Position, last: Position): Position[] =>
  Array.from({ length: last - after }, (_, index) => position(after + 1 + index));
