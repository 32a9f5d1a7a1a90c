import type { StoredEvent } from '../eventLog.ts';
import type { ReplicationOutcome, ReplicationTarget } from '../replicationTarget.ts';
import { appendOnce } from './appendOnce.ts';
import type { CatchUp } from './catchUp.ts';
import type { Connection } from './client/connection.ts';
import { toWire } from './client/wireEvent.ts';
import type { Mirror } from './mirror/mirror.ts';

interface ReplicationTargetOptions {
  readonly connection: Connection;
  readonly lookup: Pick<Mirror['lookup'], 'countWritten'>;
  readonly catchUp: CatchUp;
}

/** Appends events to EventStoreDB with the revisions, hashes and bytes of another log. */
export const createEventStoreReplicationTarget = ({
  connection,
  lookup,
  catchUp,
}: ReplicationTargetOptions): ReplicationTarget => ({
  append: (events) => appendUnchanged(connection, events),
  async countWritten(stream, ids) {
    // Another store would lack events that the store of this installation has.
    await connection.confirm();
    // The mirror has them even when they were truncated, or their stream deleted, since.
    await catchUp();
    return lookup.countWritten(stream, ids);
  },
});

/** See `ReplicationTarget.append`. */
export async function appendUnchanged(
  connection: Connection,
  events: readonly StoredEvent[],
): Promise<ReplicationOutcome> {
  const { stream, revision } = events[0] as StoredEvent;
  const outcome = await appendOnce(connection, { stream, expected: revision - 1, events: events.map(toUnchangedWire) });
  if (outcome.kind !== 'committed') return outcome;
  return outcome.position ? { kind: 'committed' } : { kind: 'committed', isHidden: true };
}

const toUnchangedWire = ({ id, type, time, data, metadata }: StoredEvent) =>
  toWire({ id, type, time, data: JSON.stringify(data) }, { metadata: JSON.stringify(metadata) });
