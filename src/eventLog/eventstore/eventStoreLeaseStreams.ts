import { BACKWARDS, END, jsonEvent, NO_STREAM as NATIVE_NO_STREAM } from '@eventstore/db-client';
import type { LeaseEntry, LeaseStreams } from '../leaseStreams.ts';
import { LEASE_PREFIX } from '../sideStreams.ts';
import { appendOnce } from './appendOnce.ts';
import type { Connection } from './client/connection.ts';
import { appendFailure } from './client/failures.ts';
import { readStreamOnce } from './client/reads.ts';

/** Only the last entry counts; a few more help an operator. A scavenge removes the rest. */
const MAX_ENTRIES = 20;
/** A renewal that takes longer would be too late. */
const DEADLINE_MS = 2_000;

export interface EventStoreLeaseStreams extends LeaseStreams {
  /** Called with what the mirror read of the leases `node-<name>`. */
  readonly onNodeLeases: (entries: readonly LeaseEntry[]) => void;
}

/** Creates the lease streams in EventStoreDB (docs/decisions/0015-leases.md). */
export function createEventStoreLeaseStreams(connection: Connection): EventStoreLeaseStreams {
  const limited = new Set<string>();
  /** The last entry of each node, until there is a listener. */
  const earlier = new Map<string, LeaseEntry>();
  let listener: ((entry: LeaseEntry) => void) | undefined;

  /** Sets `$maxCount`, so that the store drops old entries. A failure does no harm and is retried with the next entry. */
  async function limitEntries(stream: string): Promise<void> {
    if (limited.has(stream)) return;
    const options = { expectedRevision: NATIVE_NO_STREAM, deadline: DEADLINE_MS } as const;
    try {
      await connection.write(
        (client) => client.setStreamMetadata(stream, { maxCount: MAX_ENTRIES }, options),
        DEADLINE_MS,
      );
      limited.add(stream);
    } catch (error) {
      if (appendFailure(error).kind === 'conflict') limited.add(stream);
    }
  }

  return {
    async readLast(name) {
      const options = { direction: BACKWARDS, fromRevision: END, maxCount: 1 } as const;
      const [event] = await connection.call(
        (client) => readStreamOnce(client, LEASE_PREFIX + name, options),
        2 * DEADLINE_MS,
      );
      if (!event) return undefined;
      const { id, type, data } = event;
      return { revision: Number(event.revision), entry: { ...(data as object), id, type } as LeaseEntry };
    },
    async append(name, expectedRevision, { id, type, ...data }) {
      const stream = LEASE_PREFIX + name;
      const events = [jsonEvent({ id, type, data })];
      const outcome = await appendOnce(connection, {
        stream,
        expected: expectedRevision,
        events,
        deadlineMs: DEADLINE_MS,
      });
      if (outcome.kind === 'committed') void limitEntries(stream);
      return outcome.kind === 'unknown' || outcome.kind === 'rejected' ? outcome : { kind: outcome.kind };
    },
    followNodes(next) {
      listener = next;
      for (const entry of earlier.values()) listener(entry);
      earlier.clear();
    },
    onNodeLeases(entries) {
      for (const entry of entries) {
        if (listener) listener(entry);
        else if (entry.type === 'LeaseReleased') earlier.delete(entry.node);
        else earlier.set(entry.node, entry);
      }
    },
  };
}
