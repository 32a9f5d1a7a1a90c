import type { EventLog, EventToAppend, StoredEvent } from '../../src/eventLog/eventLog.ts';
import type { ReplicationOutcome, ReplicationTarget } from '../../src/eventLog/replicationTarget.ts';

/** What becomes of an append: it goes through, nobody learns that it did, or it ends so. */
export type Passage = 'through' | 'answer lost' | ReplicationOutcome;

export interface ReplicationTargetOverLog extends ReplicationTarget {
  /** How the next appends go, once each; then all go through. */
  readonly passages: Passage[];
  /** While set, nothing gets there. */
  isAway: boolean;
  /** Sizes of all appends that were tried. */
  readonly sizes: number[];
}

const away = { kind: 'unknown', error: new Error('the store is away') } as const;

/**
 * Takes stored events into a log of the same node, which makes the same bytes and hashes from the same content. Repeats
 * that overlap with what is there end in a conflict, as over the real store.
 */
export function replicationTargetOverLog(log: EventLog): ReplicationTargetOverLog {
  async function write(events: readonly StoredEvent[]): Promise<ReplicationOutcome> {
    const { stream, revision } = events[0] as StoredEvent;
    return log.append(stream, revision - 1, events.map(toAppend));
  }
  const store: ReplicationTargetOverLog = {
    passages: [],
    isAway: false,
    sizes: [],
    async append(events) {
      store.sizes.push(events.length);
      const passage = store.isAway ? away : (store.passages.shift() ?? 'through');
      if (typeof passage === 'object') return passage;
      const outcome = await write(events);
      return passage === 'through' ? outcome : away;
    },
    async idsOf(stream, fromRevision, most) {
      if (store.isAway) throw away.error;
      const events = await Array.fromAsync(log.readStream(stream, fromRevision));
      return events.slice(0, most).map(({ id }) => id);
    },
  };
  return store;
}

const toAppend = ({ id, type, data, time, metadata }: StoredEvent): EventToAppend =>
  ({
    id,
    type,
    data,
    time,
    actor: metadata.actor,
    correlationId: metadata.correlationId,
    causationId: metadata.causationId,
  }) as EventToAppend;
