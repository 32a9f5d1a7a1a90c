import type { StoredEvent } from '../eventLog.ts';
import type { ReplicationTarget } from '../replicationTarget.ts';
import { appendOnce } from './appendOnce.ts';
import type { Connection } from './client/connection.ts';
import { readStreamOnce } from './client/reads.ts';
import { toWire } from './client/wireEvent.ts';

const READ_MS = 7_000;

/** Appends events to EventStoreDB with the revisions, hashes and bytes of another log. */
export const createEventStoreReplicationTarget = (connection: Connection): ReplicationTarget => ({
  append(events) {
    const { stream, revision } = events[0] as StoredEvent;
    return appendOnce(connection, { stream, expected: revision - 1, events: events.map(toUnchangedWire) });
  },
  async readIds(stream, fromRevision, maxCount) {
    // Another store's ids would look like a fork of the stream.
    await connection.confirm();
    const options = { fromRevision: BigInt(fromRevision), maxCount };
    const events = await connection.call((client) => readStreamOnce(client, stream, options), READ_MS);
    return events.map(({ id }) => id);
  },
});

const toUnchangedWire = (event: StoredEvent) => toWire(event, event.data, { metadata: JSON.stringify(event.metadata) });
