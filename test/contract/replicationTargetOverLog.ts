import { position } from '../../src/domain/core/brands.ts';
import type { EventLog, EventToAppend, StoredEvent } from '../../src/eventLog/eventLog.ts';
import type { ReplicationOutcome, ReplicationTarget } from '../../src/eventLog/replicationTarget.ts';

/** What happens to an append: it is delivered, it is written but its outcome is lost, or it ends with an outcome. */
export type Delivery = 'delivered' | 'response lost' | ReplicationOutcome;

export interface ReplicationTargetOverLog extends ReplicationTarget {
  /** One entry for each of the next appends; all later ones are delivered. */
  readonly deliveries: Delivery[];
  /** While set, every call fails. */
  isUnreachable: boolean;
  /** The outcome of an append that the store does not take; undefined for one that it takes. */
  refuse: (events: readonly StoredEvent[]) => ReplicationOutcome | undefined;
  /** Number of events of each append, failed ones included. */
  readonly sizes: number[];
}

/** Refuses one event in sixteen for good, and with it the appends that contain it. */
export const refuseSome: ReplicationTargetOverLog['refuse'] = (events) =>
  events.some(({ id, type }) => id.endsWith('0') && type !== 'EventParked')
    ? { kind: 'rejected', reason: 'it ends with 0', scope: 'append' }
    : undefined;

const unreachable = { kind: 'unknown', error: new Error('the store is unreachable') } as const;

/**
 * Creates a replication target that appends to a log with the same node id, which results in the same bytes and hashes. A
 * repeat that overlaps existing events ends in a conflict, as with EventStoreDB.
 */
export function replicationTargetOverLog(log: EventLog): ReplicationTargetOverLog {
  async function write(events: readonly StoredEvent[]): Promise<ReplicationOutcome> {
    const { stream, revision } = events[0] as StoredEvent;
    const outcome = await log.append(stream, revision - 1, events.map(toAppend));
    return outcome.kind === 'rejected' ? { ...outcome, scope: 'append' } : outcome;
  }
  const store: ReplicationTargetOverLog = {
    deliveries: [],
    isUnreachable: false,
    refuse: () => undefined,
    sizes: [],
    async append(events) {
      store.sizes.push(events.length);
      const delivery = store.isUnreachable ? unreachable : (store.deliveries.shift() ?? 'delivered');
      if (typeof delivery === 'object') return delivery;
      const refusal = store.refuse(events);
      if (refusal) return refusal;
      const outcome = await write(events);
      return delivery === 'delivered' ? outcome : unreachable;
    },
    async countWritten(_, ids) {
      if (store.isUnreachable) throw unreachable.error;
      const written = new Set((await Array.fromAsync(log.readAll(position(0)))).map(({ id }) => id));
      const missing = ids.findIndex((id) => !written.has(id));
      return missing === -1 ? ids.length : missing;
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
