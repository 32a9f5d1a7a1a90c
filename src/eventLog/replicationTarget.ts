import type { StoredEvent } from './eventLog.ts';

export type ReplicationOutcome =
  | {
      readonly kind: 'committed';
      /** The store says that it has the events and no longer shows them: they were truncated, or their stream deleted. */
      readonly isHidden?: boolean;
    }
  /** The stream has other events at these revisions, or too few before them. */
  | { readonly kind: 'conflict'; readonly actualRevision: number }
  /** This append will never succeed. */
  | {
      readonly kind: 'rejected';
      readonly reason: string;
      /** What is refused: this append, of which a part might succeed, or everything in this stream. */
      readonly scope: 'append' | 'stream';
      /** Maximum size of an append, if the store names it. */
      readonly maxBytes?: number | undefined;
    }
  | { readonly kind: 'unknown'; readonly error: Error };

/** Port of a store that copies events of another log unchanged: with their revisions, hashes and bytes. */
export interface ReplicationTarget {
  /**
   * Appends consecutive events of one stream at exactly their revisions. `committed` also when all of them already exist
   * with the same ids. When only some of them exist, the outcome may be a conflict
   * (docs/stores.md#eventstoredb-repeating-an-append). Never rejects.
   */
  append(events: readonly StoredEvent[]): Promise<ReplicationOutcome>;
  /**
   * How many of these consecutive events of one stream the history has, counted from the first. It knows also those that
   * the store no longer shows, and archived ones. @throws when that cannot be known at the moment
   */
  countWritten(stream: string, ids: readonly string[]): Promise<number>;
}
