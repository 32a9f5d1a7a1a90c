import type { StoredEvent } from './eventLog.ts';

export type ReplicationOutcome =
  | { readonly kind: 'committed' }
  /** Other events stand there, or too few before them. */
  | { readonly kind: 'conflict'; readonly actualRevision: number }
  /** Will never succeed as it is; fewer events at once might. */
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly error: Error };

/** A store that takes events as they are: with the revisions, hashes and bytes that they were given elsewhere. */
export interface ReplicationTarget {
  /**
   * Appends neighbours of one stream at exactly their revisions. What stands there already, with the same ids, is
   * committed; some of it there and some not may be a conflict (event-sourcing.md B1.0). Never rejects.
   */
  append(events: readonly StoredEvent[]): Promise<ReplicationOutcome>;
  /** Ids of at most so many events of a stream, from a revision on. @throws when the store cannot be asked */
  idsOf(stream: string, fromRevision: number, most: number): Promise<readonly string[]>;
}
