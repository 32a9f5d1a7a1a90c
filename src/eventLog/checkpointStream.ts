/**
 * Port for the side stream in which nodes that share a store keep the signed checkpoints of their log, so that the next leader and
 * every node know the newest one (docs/decisions/0008-side-streams.md).
 */
export interface CheckpointStream {
  /** How many entries were ever appended. @throws when the store is unreachable */
  count(): Promise<number>;
  /**
   * The entries after so many, as far as they are kept.
   * @returns undefined when the stream has fewer: the store was restored from an older copy
   * @throws when the store is unreachable
   */
  readAfter(after: number): Promise<readonly unknown[] | undefined>;
  /**
   * Appends an entry that JSON can represent after exactly so many entries. One of two concurrent appends is refused.
   * @returns false when there are more entries by now
   * @throws when it is unknown whether the entry was appended
   */
  append(after: number, entry: object): Promise<boolean>;
}
