import { NotLeaderError } from '@eventstore/db-client';
import type { ProposedEvent } from './client/classicAppend.ts';
import type { Connection } from './client/connection.ts';
import { type AppendFailure, appendFailure } from './client/failures.ts';
import type { NativePosition } from './client/nativePosition.ts';

export type NativeAppendOutcome =
  | {
      readonly kind: 'committed';
      /** Revision of the last event, also when the append is a repeat. */
      readonly revision: number;
      /**
       * Undefined for a repeat of events that the server no longer shows, because they were truncated or deleted
       * (docs/stores.md#eventstoredb-repeating-an-append).
       */
      readonly position: NativePosition | undefined;
    }
  | AppendFailure;

export interface NativeAppend {
  readonly stream: string;
  /**
   * -1 if the stream must not exist. Never "any", because a repeat would be written twice
   * (docs/stores.md#eventstoredb-repeating-an-append).
   */
  readonly expected: number;
  /** At least one: an append without events "succeeds" and moves the end of the log. */
  readonly events: readonly ProposedEvent[];
  readonly deadlineMs?: number | undefined;
}

const DEADLINE_MS = 5_000;
/** Time for discovering the cluster, which the client does before its deadline starts. */
const GRACE_MS = 2_000;
const MAX_LEADERS = 3;

/**
 * Makes one classic append (docs/stores.md#eventstoredb-classic-appends-with-a-deadline). A node that is not the leader
 * writes nothing, so the append is repeated at the leader at once.
 */
export async function appendOnce(connection: Connection, append: NativeAppend): Promise<NativeAppendOutcome> {
  const { stream, expected, events, deadlineMs = DEADLINE_MS } = append;
  for (let leader = 1; ; leader += 1) {
    try {
      const appended = await connection.write(
        (client) => client.appendOnce({ stream, expected, events }, deadlineMs),
        deadlineMs + GRACE_MS,
      );
      return { kind: 'committed', ...appended };
    } catch (error) {
      if (!(error instanceof NotLeaderError) || leader === MAX_LEADERS) return appendFailure(error);
    }
  }
}
