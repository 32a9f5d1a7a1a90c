import { describe, expect, test } from 'vitest';
import { NO_STREAM } from '../../../src/eventLog/eventLog.ts';
import type { LogFactory } from '../eventLog.ts';
import { anEvent, aStream, someEvents } from '../events.ts';
import { committed, readStored } from './outcomes.ts';

export function describeAppending(createStore: LogFactory): void {
  describe('appending', () => {
    test('creates the stream and returns revision and position of the last event', async () => {
      await using store = await createStore();
      const log = await store.open();
      const stream = aStream();
      const before = await log.head();
      const outcome = await log.append(stream, NO_STREAM, someEvents(3));
      expect(outcome).toEqual({ kind: 'committed', revision: 2, position: before + 3 });
      expect(await log.head()).toBe(before + 3);
      await log.close();
    });

    test('reports a conflict when a new stream already exists', async () => {
      await using store = await createStore();
      const log = await store.open();
      const stream = aStream();
      await committed(log.append(stream, NO_STREAM, someEvents(2)));
      expect(await log.append(stream, NO_STREAM, [anEvent()])).toEqual({ kind: 'conflict', actualRevision: 1 });
      await log.close();
    });

    test('names the actual revision in a conflict, whether ahead, behind or none', async () => {
      await using store = await createStore();
      const log = await store.open();
      const stream = aStream();
      expect(await log.append(stream, 0, [anEvent()])).toEqual({ kind: 'conflict', actualRevision: NO_STREAM });
      await committed(log.append(stream, NO_STREAM, someEvents(3)));
      expect(await log.append(stream, 1, [anEvent()])).toEqual({ kind: 'conflict', actualRevision: 2 });
      expect(await log.append(stream, 3, [anEvent()])).toEqual({ kind: 'conflict', actualRevision: 2 });
      expect(await readStored(log, stream)).toHaveLength(3);
      await log.close();
    });

    test('commits exactly one of many appends that race for one revision', async () => {
      await using store = await createStore();
      const log = await store.open();
      const stream = aStream();
      const outcomes = await Promise.all(Array.from({ length: 50 }, () => log.append(stream, NO_STREAM, [anEvent()])));
      expect(outcomes.filter(({ kind }) => kind === 'committed')).toHaveLength(1);
      expect(outcomes.filter(({ kind }) => kind === 'conflict')).toHaveLength(49);
      await log.close();
    });

    test('commits the other appends of a batch despite a conflict', async () => {
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
      expect(await readStored(log, one)).toHaveLength(2);
      await log.close();
    });

    test('gives the events of one append consecutive positions during concurrent appends', async () => {
      await using store = await createStore();
      const log = await store.open();
      const streams = Array.from({ length: 20 }, aStream);
      await Promise.all(streams.map((stream) => committed(log.append(stream, NO_STREAM, someEvents(7)))));
      for (const stream of streams) {
        const positions = (await readStored(log, stream)).map(({ position }) => position);
        expect(positions).toEqual(positions.map((_, index) => (positions[0] ?? Number.NaN) + index));
      }
      await log.close();
    });

    test('waits for pending appends on close and rejects later ones', async () => {
      await using store = await createStore();
      const log = await store.open();
      const stream = aStream();
      const pending = Array.from({ length: 30 }, (_, index) => log.append(stream, index - 1, [anEvent()]));
      await log.close();
      expect((await Promise.all(pending)).map(({ kind }) => kind)).toEqual(pending.map(() => 'committed'));
      expect(await log.append(stream, 29, [anEvent()])).toMatchObject({ kind: 'rejected' });
      await log.close();
      const again = await store.open();
      expect(await readStored(again, stream)).toHaveLength(30);
      await again.close();
    });
  });
}
