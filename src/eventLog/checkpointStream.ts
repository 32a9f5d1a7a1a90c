/**
 * Port for the side stream in which nodes that share a store keep the signed checkpoints of their log, so that the next leader and
 * every node know the newest one (docs/decisions/0008-side-streams.md).
 */
export interface CheckpointStream {
  /**
   * The entries after the first `count` ones, as far as they are kept.
   * @returns undefined when the stream has fewer than `count`: the store was restored from an older copy
   * @throws when the store is unreachable
   */
  readAfter(count: number): Promise<readonly unknown[] | undefined>;
  /**
   * Appends an entry that JSON can represent after exactly `count` entries. One of two concurrent appends is refused.
   * @returns false when there are more entries by now
   * @throws when it is unknown whether the entry was appended
   */
  append(count: number, entry: object): Promise<boolean>;
}
