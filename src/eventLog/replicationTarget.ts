import type { StoredEvent } from './eventLog.ts';

export type ReplicationOutcome =
  | { readonly kind: 'committed' }
  /** The stream has other events at these revisions, or too few before them. */
  | { readonly kind: 'conflict'; readonly actualRevision: number }
  /** The append will never succeed as it is; one with fewer events might. */
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly error: Error };

/** Port of a store that takes events of another log unchanged: with their revisions, hashes and bytes. */
export interface ReplicationTarget {
  /**
   * Appends consecutive events of one stream at exactly their revisions. Commits when all of them exist already with the
   * same ids. When only some of them exist, the outcome may be a conflict
   * (docs/stores.md#eventstoredb-repeating-an-append). Never rejects.
   */
  append(events: readonly StoredEvent[]): Promise<ReplicationOutcome>;
  /** Ids of up to `maxCount` events of a stream, from a revision on. @throws when the store is unreachable */
  idsOf(stream: string, fromRevision: number, maxCount: number): Promise<readonly string[]>;
}
