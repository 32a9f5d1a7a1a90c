import { describe, expect, test } from 'vitest';
import { NO_STREAM } from '../../../src/eventLog/eventLog.ts';
import type { StoreFactory } from '../eventLog.ts';
import { anEvent, aStream, someEvents } from '../events.ts';
import { committed, storedOf } from './outcomes.ts';

export function appending(createStore: StoreFactory): void {
  describe('appending', () => {
    test('the first append makes the stream and tells revision and position of its last event', async () => {
      await using store = await createStore();
      const log = await store.open();
      const stream = aStream();
      const before = await log.head();
      const outcome = await log.append(stream, NO_STREAM, someEvents(3));
      expect(outcome).toEqual({ kind: 'committed', revision: 2, position: before + 3 });
      expect(await log.head()).toBe(before + 3);
      await log.close();
    });

    test('a stream that exists is not made a second time', async () => {
      await using store = await createStore();
      const log = await store.open();
      const stream = aStream();
      await committed(log.append(stream, NO_STREAM, someEvents(2)));
      expect(await log.append(stream, NO_STREAM, [anEvent()])).toEqual({ kind: 'conflict', actualRevision: 1 });
      await log.close();
    });

    test('a conflict names the actual revision, whether it is ahead, behind or none', async () => {
      await using store = await createStore();
      const log = await store.open();
      const stream = aStream();
      expect(await log.append(stream, 0, [anEvent()])).toEqual({ kind: 'conflict', actualRevision: NO_STREAM });
      await committed(log.append(stream, NO_STREAM, someEvents(3)));
      expect(await log.append(stream, 1, [anEvent()])).toEqual({ kind: 'conflict', actualRevision: 2 });
      expect(await log.append(stream, 3, [anEvent()])).toEqual({ kind: 'conflict', actualRevision: 2 });
      expect(await storedOf(log, stream)).toHaveLength(3);
      await log.close();
    });

    test('of many appends that race for one revision exactly one wins', async () => {
      await using store = await createStore();
      const log = await store.open();
      const stream = aStream();
      const outcomes = await Promise.all(Array.from({ length: 50 }, () => log.append(stream, NO_STREAM, [anEvent()])));
      expect(outcomes.filter(({ kind }) => kind === 'committed')).toHaveLength(1);
      expect(outcomes.filter(({ kind }) => kind === 'conflict')).toHaveLength(49);
      await log.close();
    });

    test('a conflict leaves the appends beside it alone', async () => {
      await using store = await createStore();
      const log = await store.open();
      const [one, other] = [aStream(), aStream()];
      const outcomes = await Promise.all([
        log.append(one, NO_STREAM, [anEvent()]),
        log.append(one, 7, someEvents(2)),
        log.append(other, NO_STREAM, someEvents(2)),
        log.append(one, 0, [anEvent()]),
      ]);
      expect(outcomes.map(({ kind }) => kind)).toEqual(['committed', 'conflict', 'committed', 'committed']);
      expect(await storedOf(log, one)).toHaveLength(2);
      await log.close();
    });

    test('events of one append stand next to each other while others append', async () => {
      await using store = await createStore();
      const log = await store.open();
      const streams = Array.from({ length: 20 }, aStream);
      await Promise.all(streams.map((stream) => committed(log.append(stream, NO_STREAM, someEvents(7)))));
      for (const stream of streams) {
        const positions = (await storedOf(log, stream)).map(({ position }) => position);
        expect(positions).toEqual(positions.map((_, index) => (positions[0] ?? Number.NaN) + index));
      }
      await log.close();
    });

    test('close waits for appends under way, and later ones are rejected', async () => {
      await using store = await createStore();
      const log = await store.open();
      const stream = aStream();
      const underWay = Array.from({ length: 30 }, (_, index) => log.append(stream, index - 1, [anEvent()]));
      await log.close();
      expect((await Promise.all(underWay)).map(({ kind }) => kind)).toEqual(underWay.map(() => 'committed'));
      expect(await log.append(stream, 29, [anEvent()])).toMatchObject({ kind: 'rejected' });
      await log.close();
      const again = await store.open();
      expect(await storedOf(again, stream)).toHaveLength(30);
      await again.close();
    });
  });
}
