import type { StoredCheckpoint } from '../../integrity/checkpoints/checkpoints.ts';

/** The signed notes of a log, as far as evidence needs them. */
export interface SignedNotes {
  /** The newest checkpoint. */
  readonly latest: StoredCheckpoint;
  /** The first checkpoint of the same origin that covers a position. */
  covering(position: number): StoredCheckpoint | undefined;
  /** Notes that name a new key of the log, in order. */
  readonly keyChanges: readonly string[];
  /** The key that has signed the newest checkpoint. */
  readonly vkey: string;
}
