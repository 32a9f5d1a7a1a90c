import { describe, expect, test } from 'vitest';
import { NO_STREAM } from '../../../src/eventLog/eventLog.ts';
import { collect } from '../collector.ts';
import type { LogFactory } from '../eventLog.ts';
import { anEvent, aStream, someEvents } from '../events.ts';
import { committed, readStored } from './outcomes.ts';

export function describeRepeating(createStore: LogFactory): void {
  describe('repeating an append', () => {
    test('returns the original outcome and writes nothing', async () => {
      await using store = await createStore();
      const log = await store.open();
      const stream = aStream();
      const events = someEvents(3);
      const first = await committed(log.append(stream, NO_STREAM, events));
      expect(await log.append(stream, NO_STREAM, events)).toEqual(first);
      expect(await readStored(log, stream)).toHaveLength(3);
      await log.close();
    });

    test('returns the original outcome after the stream has grown, and after a restart', async () => {
      await using store = await createStore();
      const log = await store.open();
      const stream = aStream();
      await committed(log.append(stream, NO_STREAM, someEvents(2)));
      const events = someEvents(3);
      const first = await committed(log.append(stream, 1, events));
      await committed(log.append(stream, 4, someEvents(100)));
      expect(await log.append(stream, 1, events)).toEqual(first);
      await log.close();
      const again = await store.open();
      expect(await again.append(stream, 1, events)).toEqual(first);
      await again.close();
    });

    test('commits once when repeated while the first append is pending', async () => {
      await using store = await createStore();
      const log = await store.open();
      using seen = collect(log, await log.head());
      const stream = aStream();
      const events = someEvents(2);
      const [first, repeat] = await Promise.all([
        log.append(stream, NO_STREAM, events),
        log.append(stream, NO_STREAM, events),
      ]);
      expect(first.kind).toBe('committed');
      expect(repeat).toEqual(first);
      const end = await committed(log.append(stream, 1, [anEvent()]));
      await seen.until(3);
      expect(seen.positions).toEqual([end.position - 2, end.position - 1, end.position]);
      await log.close();
    });

    test('accepts a repeat of only its first or last events at their revision', async () => {
      await using store = await createStore();
      const log = await store.open();
      const stream = aStream();
      const events = someEvents(3);
      const { position } = await committed(log.append(stream, NO_STREAM, events));
      const beginning = { kind: 'committed', revision: 1, position: position - 1 };
      expect(await log.append(stream, NO_STREAM, events.slice(0, 2))).toEqual(beginning);
      expect(await log.append(stream, 0, events.slice(1))).toEqual({ kind: 'committed', revision: 2, position });
      await log.close();
    });

    test('reports a conflict when mixed with new events or reordered', async () => {
      await using store = await createStore();
      const log = await store.open();
      const stream = aStream();
      const [one, two] = [anEvent(), anEvent()];
      await committed(log.append(stream, NO_STREAM, [one, two]));
      const conflict = { kind: 'conflict', actualRevision: 1 };
      expect(await log.append(stream, NO_STREAM, [one, two, anEvent()])).toEqual(conflict);
      expect(await log.append(stream, NO_STREAM, [two, one])).toEqual(conflict);
      expect(await log.append(stream, NO_STREAM, [one, anEvent()])).toEqual(conflict);
      expect(await readStored(log, stream)).toHaveLength(2);
      await log.close();
    });
  });
}
