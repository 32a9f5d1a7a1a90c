import { describe, expect, test } from 'vitest';
import { NO_STREAM } from '../../../src/eventLog/eventLog.ts';
import { isBreak, verifyStream } from '../../../src/eventLog/hashChain.ts';
import type { LogFactory } from '../eventLog.ts';
import { anEvent, aStream, someEvents } from '../events.ts';
import { committed, readStored } from './outcomes.ts';

export function describeReading(createStore: LogFactory): void {
  describe('reading', () => {
    test('returns an event with all its fields and metadata', async () => {
      await using store = await createStore();
      const log = await store.open();
      const stream = aStream();
      const { id, type, data, time, actor, correlationId } = anEvent();
      const event = anEvent({ id, type, data, time, actor, correlationId, causationId: 'a command' } as never);
      const { position } = await committed(log.append(stream, NO_STREAM, [event]));
      const [stored] = await readStored(log, stream);
      expect(stored).toEqual({
        position,
        stream,
        revision: 0,
        id,
        type,
        time,
        data,
        metadata: {
          schemaVersion: 1,
          metadataVersion: 2,
          actor,
          correlationId,
          causationId: 'a command',
          node: expect.any(String),
          previousHash: '0'.repeat(64),
          hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      });
      await log.close();
    });

    test('reads a stream from any revision on, and a missing stream as empty', async () => {
      await using store = await createStore();
      const log = await store.open();
      const stream = aStream();
      const events = someEvents(1_200);
      await committed(log.append(stream, NO_STREAM, events));
      await committed(log.append(aStream(), NO_STREAM, someEvents(3)));
      const ids = (await readStored(log, stream, 5)).map(({ id }) => id);
      expect(ids).toEqual(events.slice(5).map(({ id }) => id));
      expect(await readStored(log, stream, 1_200)).toEqual([]);
      expect(await readStored(log, aStream())).toEqual([]);
      await log.close();
    });

    test('reads the whole log in order of positions, up to the head at the time of the call', async () => {
      await using store = await createStore();
      const log = await store.open();
      const before = await log.head();
      const streams = [aStream(), aStream(), aStream()];
      await Promise.all(streams.map((stream) => committed(log.append(stream, NO_STREAM, someEvents(400)))));
      const head = await log.head();
      const all = log.readAll(before);
      await committed(log.append(aStream(), NO_STREAM, [anEvent()]));
      const positions = (await Array.fromAsync(all)).map(({ position }) => position);
      expect(positions).toEqual(Array.from({ length: 1_200 }, (_, index) => before + 1 + index));
      expect(positions.at(-1)).toBe(head);
      expect(await Array.fromAsync(log.readAll(await log.head()))).toEqual([]);
      await log.close();
    });

    test('continues the hash chain of each stream across restarts', async () => {
      await using store = await createStore();
      const [one, other] = [aStream(), aStream()];
      for (let start = 0; start < 3; start += 1) {
        const log = await store.open();
        await committed(log.append(one, start * 4 - 1, someEvents(4)));
        await committed(log.append(other, start - 1, [anEvent({ correlationId: 'ünïcödé "quoted" \u2028 😀' })]));
        await log.close();
      }
      const log = await store.open();
      for (const [stream, length] of [[one, 12] as const, [other, 3] as const]) {
        const events = await readStored(log, stream);
        const result = verifyStream(events);
        expect(isBreak(result)).toBe(false);
        expect(result).toEqual({ revision: length - 1, hash: events.at(-1)?.metadata.hash });
      }
      await log.close();
    });
  });
}
