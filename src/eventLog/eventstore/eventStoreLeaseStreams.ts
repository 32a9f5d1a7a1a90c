import { BACKWARDS, END, jsonEvent, NO_STREAM as NO_STREAM_THERE } from '@eventstore/db-client';
import type { LeaseEntry, LeaseStreams } from '../leaseStreams.ts';
import { LEASE_PREFIX } from '../sideStreams.ts';
import { appendOnce } from './appendOnce.ts';
import type { Connection } from './client/connection.ts';
import { appendFailure } from './client/failures.ts';
import { readStreamOnce } from './client/reads.ts';

/** Only the last entry counts; a few more show an operator what went on. A scavenge takes the rest. */
const KEPT = 20;
/** A sign of life that takes longer comes too late. */
const DEADLINE_MS = 2_000;

/** Leases in the streams `lease-<name>`. */
export function createEventStoreLeaseStreams(connection: Connection): LeaseStreams {
  const bounded = new Set<string>();

  /** Has the store forget old entries. The lease works without, so a failure is tried again with the next entry. */
  async function bound(stream: string): Promise<void> {
    if (bounded.has(stream)) return;
    const options = { expectedRevision: NO_STREAM_THERE, deadline: DEADLINE_MS } as const;
    try {
      await connection.call((client) => client.setStreamMetadata(stream, { maxCount: KEPT }, options), DEADLINE_MS);
      bounded.add(stream);
    } catch (error) {
      if (appendFailure(error).kind === 'conflict') bounded.add(stream);
    }
  }

  return {
    async last(name) {
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
      if (outcome.kind === 'committed') void bound(stream);
      return outcome.kind === 'unknown' || outcome.kind === 'rejected' ? outcome : { kind: outcome.kind };
    },
  };
}
