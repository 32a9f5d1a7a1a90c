import { type EventData, NO_STREAM as NO_STREAM_THERE, NotLeaderError } from '@eventstore/db-client';
import { NO_STREAM } from '../eventLog.ts';
import type { Connection } from './client/connection.ts';
import { type AppendFailure, appendFailure } from './client/failures.ts';
import type { NativePosition } from './client/nativePosition.ts';

export type StoreOutcome =
  | {
      readonly kind: 'committed';
      /** Revision of the last event, also when it had been written before. */
      readonly revision: number;
      readonly position: NativePosition;
    }
  | AppendFailure;

export interface AppendToStore {
  readonly stream: string;
  /** -1 when the stream must not exist. Never "any": a repeat would be written twice (event-sourcing.md B1.0). */
  readonly expected: number;
  /** At least one: an empty append "succeeds" and moves the log. */
  readonly events: readonly EventData[];
  readonly deadlineMs?: number | undefined;
}

const DEADLINE_MS = 5_000;
/** The client's deadline starts when its call does, and a discovery comes before that. */
const GRACE_MS = 2_000;
const MAX_LEADERS = 3;

/** One append over the classic path. A node that does not lead has written nothing, so its leader is asked at once. */
export async function appendOnce(connection: Connection, append: AppendToStore): Promise<StoreOutcome> {
  const { stream, expected, events, deadlineMs = DEADLINE_MS } = append;
  const expectedRevision = expected === NO_STREAM ? NO_STREAM_THERE : BigInt(expected);
  for (let leader = 1; ; leader += 1) {
    try {
      const { nextExpectedRevision, position } = await connection.call(
        (client) => client.appendToStream(stream, [...events], { expectedRevision, deadline: deadlineMs }),
        deadlineMs + GRACE_MS,
      );
      if (!position) return { kind: 'unknown', error: new Error('EventStoreDB did not say where the events stand') };
      return { kind: 'committed', revision: Number(nextExpectedRevision), position };
    } catch (error) {
      if (!(error instanceof NotLeaderError) || leader === MAX_LEADERS) return appendFailure(error);
    }
  }
}
