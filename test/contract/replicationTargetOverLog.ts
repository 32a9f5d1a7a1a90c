import type { EventLog, EventToAppend, StoredEvent } from '../../src/eventLog/eventLog.ts';
import type { ReplicationOutcome, ReplicationTarget } from '../../src/eventLog/replicationTarget.ts';

/** What happens to an append: it is delivered, it is written but its outcome is lost, or it ends with an outcome. */
export type Delivery = 'delivered' | 'response lost' | ReplicationOutcome;

export interface ReplicationTargetOverLog extends ReplicationTarget {
  /** One entry for each of the next appends; all later ones are delivered. */
  readonly deliveries: Delivery[];
  /** While set, every call fails. */
  isUnreachable: boolean;
  /** Number of events of each append, failed ones included. */
  readonly sizes: number[];
}

const unreachable = { kind: 'unknown', error: new Error('the store is unreachable') } as const;

/**
 * Creates a replication target that appends to a log with the same node id, which results in the same bytes and hashes. A
 * repeat that overlaps existing events ends in a conflict, as with EventStoreDB.
 */
export function replicationTargetOverLog(log: EventLog): ReplicationTargetOverLog {
  async function write(events: readonly StoredEvent[]): Promise<ReplicationOutcome> {
    const { stream, revision } = events[0] as StoredEvent;
    return log.append(stream, revision - 1, events.map(toAppend));
  }
  const store: ReplicationTargetOverLog = {
    deliveries: [],
    isUnreachable: false,
    sizes: [],
    async append(events) {
      store.sizes.push(events.length);
      const delivery = store.isUnreachable ? unreachable : (store.deliveries.shift() ?? 'delivered');
      if (typeof delivery === 'object') return delivery;
      const outcome = await write(events);
      return delivery === 'delivered' ? outcome : unreachable;
    },
    async readIds(stream, fromRevision, maxCount) {
      if (store.isUnreachable) throw unreachable.error;
      const events = await Array.fromAsync(log.readStream(stream, fromRevision));
      return events.slice(0, maxCount).map(({ id }) => id);
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
