import type { StoredEvent } from './eventLog.ts';

export type ReplicationOutcome =
  | { readonly kind: 'committed' }
  /** The stream has other events at these revisions, or too few before them. */
  | { readonly kind: 'conflict'; readonly actualRevision: number }
  /** This append will never succeed; one with fewer events might. */
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly error: Error };

/** Port of a store that copies events of another log unchanged: with their revisions, hashes and bytes. */
export interface ReplicationTarget {
  /**
   * Appends consecutive events of one stream at exactly their revisions. `committed` also when all of them already exist
   * with the same ids. When only some of them exist, the outcome may be a conflict
   * (docs/stores.md#eventstoredb-repeating-an-append). Never rejects.
   */
  append(events: readonly StoredEvent[]): Promise<ReplicationOutcome>;
  /** Ids of up to `maxCount` events of a stream, from a revision on. @throws when the store is unreachable */
  readIds(stream: string, fromRevision: number, maxCount: number): Promise<readonly string[]>;
}
