import { describe, expect, test } from 'vitest';
import { position } from '../../src/domain/core/brands.ts';
import type { EventLog, StoredEvent } from '../../src/eventLog/eventLog.ts';
import { NO_STREAM } from '../../src/eventLog/eventLog.ts';
import { chainEvent, emptyChain, isBreak, verifyStream } from '../../src/eventLog/hashChain.ts';
import { prepareAppend } from '../../src/eventLog/prepareAppend.ts';
import type { ReplicationTarget } from '../../src/eventLog/replicationTarget.ts';
import { committed } from './eventLog/outcomes.ts';
import { anEvent, aStream, someEvents } from './events.ts';

export interface ReplicationTargetUnderTest extends AsyncDisposable {
  readonly replicationTarget: ReplicationTarget;
  /** Reads what was appended. */
  readonly log: EventLog;
}

/** Events of one stream, chained as another log of the same node would store them. */
export function storedEvents(stream: string, count: number): StoredEvent[] {
  let { hash } = emptyChain;
  const prepared = prepareAppend(stream, NO_STREAM, someEvents(count), { node: 'test' });
  return prepared.events.map((event, revision) => {
    const link = chainEvent(event, stream, revision, hash);
    hash = link.hash;
    const { id, type, time } = event;
    const metadata = JSON.parse(link.metadata);
    return {
      position: position(revision + 1),
      stream,
      revision,
      id,
      type,
      time,
      data: JSON.parse(event.data),
      metadata,
    } as StoredEvent;
  });
}

/** The contract of `ReplicationTarget`, run against one adapter. */
export function describeReplicationTarget(name: string, create: () => Promise<ReplicationTargetUnderTest>): void {
  describe(`${name}: replication target`, () => {
    test('stores events unchanged, with their chain', async () => {
      await using stage = await create();
      const stream = aStream();
      const events = storedEvents(stream, 30);
      expect(await stage.replicationTarget.append(events.slice(0, 10))).toMatchObject({ kind: 'committed' });
      expect(await stage.replicationTarget.append(events.slice(10))).toMatchObject({ kind: 'committed' });
      const read = await Array.fromAsync(stage.log.readStream(stream));
      expect(read).toEqual(events.map((event, index) => ({ ...event, position: read[index]?.position })));
      expect(isBreak(verifyStream(read))).toBe(false);
    });

    test('commits a repeated append once, also after the stream has grown', async () => {
      await using stage = await create();
      const stream = aStream();
      const events = storedEvents(stream, 5);
      await stage.replicationTarget.append(events);
      expect(await stage.replicationTarget.append(events)).toMatchObject({ kind: 'committed' });
      await committed(stage.log.append(stream, 4, [anEvent()]));
      expect(await stage.replicationTarget.append(events)).toMatchObject({ kind: 'committed' });
      const read = await Array.fromAsync(stage.log.readStream(stream));
      expect(read).toHaveLength(6);
      expect(isBreak(verifyStream(read))).toBe(false);
    });

    test('reports a conflict for other events at the same revisions, and for a gap', async () => {
      await using stage = await create();
      const stream = aStream();
      await stage.replicationTarget.append(storedEvents(stream, 2));
      expect(await stage.replicationTarget.append(storedEvents(stream, 2))).toEqual({
        kind: 'conflict',
        actualRevision: 1,
      });
      const later = storedEvents(stream, 9).slice(5);
      expect(await stage.replicationTarget.append(later)).toEqual({ kind: 'conflict', actualRevision: 1 });
    });

    test('counts the events that are written, from the first on', async () => {
      await using stage = await create();
      const stream = aStream();
      const events = storedEvents(stream, 9);
      await stage.replicationTarget.append(events);
      const ids = events.map(({ id }) => id);
      const other = anEvent().id;
      expect(await stage.replicationTarget.countWritten(stream, ids)).toBe(9);
      expect(await stage.replicationTarget.countWritten(stream, [...ids.slice(3, 7), other, ...ids.slice(7)])).toBe(4);
      expect(await stage.replicationTarget.countWritten(stream, [other, ...ids])).toBe(0);
      expect(await stage.replicationTarget.countWritten(stream, [])).toBe(0);
    });
  });
}
