import type { StoredEvent } from '../eventLog.ts';
import type { ReplicationTarget } from '../replicationTarget.ts';
import { appendOnce } from './appendOnce.ts';
import type { Connection } from './client/connection.ts';
import { readStreamOnce } from './client/reads.ts';
import { toWire } from './client/wireEvent.ts';

const READ_MS = 7_000;

/** Takes events with the revisions, hashes and bytes that they were given elsewhere. */
export const createEventStoreReplicationTarget = (connection: Connection): ReplicationTarget => ({
  append(events) {
    const { stream, revision } = events[0] as StoredEvent;
    return appendOnce(connection, { stream, expected: revision - 1, events: events.map(asStored) });
  },
  async idsOf(stream, fromRevision, most) {
    const options = { fromRevision: BigInt(fromRevision), maxCount: most };
    const events = await connection.call((client) => readStreamOnce(client, stream, options), READ_MS);
    return events.map(({ id }) => id);
  },
});

const asStored = (event: StoredEvent) => toWire(event, event.data, { metadata: JSON.stringify(event.metadata) });
