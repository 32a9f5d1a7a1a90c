import {
  BACKWARDS,
  END,
  FORWARDS,
  type JSONType,
  jsonEvent,
  NO_STREAM as NATIVE_NO_STREAM,
} from '@eventstore/db-client';
import type { CheckpointStream } from '../checkpointStream.ts';
import { newEventId } from '../eventId.ts';
import { CHECKPOINT_PREFIX, MAX_CHECKPOINT_NOTES } from '../sideStreams.ts';
import { appendOnce } from './appendOnce.ts';
import type { Connection } from './client/connection.ts';
import { readStreamOnce } from './client/reads.ts';

const STREAM = `${CHECKPOINT_PREFIX}notes`;
const TYPE = 'CheckpointSigned';
const PAGE = 1_000;
const DEADLINE_MS = 5_000;
const MAX_REPEATS = 3;

/** Creates the stream of signed checkpoints in EventStoreDB. */
export function createEventStoreCheckpointStream(connection: Connection): CheckpointStream {
  let isLimited = false;

  const read = (options: Parameters<typeof readStreamOnce>[2]) =>
    connection.call((client) => readStreamOnce(client, STREAM, options), 2 * DEADLINE_MS);

  /** A failure does no harm and is retried with the next entry. */
  async function limitEntries(): Promise<void> {
    if (isLimited) return;
    const options = { expectedRevision: NATIVE_NO_STREAM, deadline: DEADLINE_MS } as const;
    await connection
      .write((client) => client.setStreamMetadata(STREAM, { maxCount: MAX_CHECKPOINT_NOTES }, options), DEADLINE_MS)
      .catch(() => undefined);
    // Also after a conflict: another node has set it.
    isLimited = true;
  }

  async function count(): Promise<number> {
    const [last] = await read({ direction: BACKWARDS, fromRevision: END, maxCount: 1 });
    return last ? Number(last.revision) + 1 : 0;
  }

  return {
    count,
    async readAfter(after) {
      const entries: unknown[] = [];
      for (let from = after; ; ) {
        const events = await read({ direction: FORWARDS, fromRevision: BigInt(from), maxCount: PAGE });
        for (const { data } of events) entries.push(data);
        const last = events.at(-1);
        if (!last || events.length < PAGE) break;
        from = Number(last.revision) + 1;
      }
      return entries.length > 0 || (await count()) >= after ? entries : undefined;
    },
    async append(after, entry) {
      // The same id: a repeat writes it once.
      const events = [jsonEvent({ id: newEventId(), type: TYPE, data: entry as JSONType })];
      for (let repeat = 0; ; repeat += 1) {
        const outcome = await appendOnce(connection, {
          stream: STREAM,
          expected: after - 1,
          events,
          deadlineMs: DEADLINE_MS,
        });
        if (outcome.kind === 'committed') {
          void limitEntries();
          return true;
        }
        if (outcome.kind === 'conflict') return false;
        if (outcome.kind === 'rejected') throw new Error(`EventStoreDB refuses the checkpoint: ${outcome.reason}`);
        if (repeat === MAX_REPEATS) throw outcome.error;
      }
    },
  };
}
