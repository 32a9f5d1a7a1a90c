import type { EventLog, EventToAppend, StoredEvent } from '../../src/eventLog/eventLog.ts';
import type { StoredAppendOutcome, StoredAppends } from '../../src/eventLog/outbox/storedAppends.ts';

/** What becomes of an append: it goes through, nobody learns that it did, or it ends so. */
export type Passage = 'through' | 'answer lost' | StoredAppendOutcome;

export interface StoreOverLog extends StoredAppends {
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
export function storedAppendsOver(log: EventLog): StoreOverLog {
  async function write(events: readonly StoredEvent[]): Promise<StoredAppendOutcome> {
    const { stream, revision } = events[0] as StoredEvent;
    return log.append(stream, revision - 1, events.map(toAppend));
  }
  const store: StoreOverLog = {
    passages: [],
    isAway: false,
    sizes: [],
    async appendStored(events) {
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
