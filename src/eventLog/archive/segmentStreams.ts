/** A sealed segment, or the archive file of a restored day, is not in its stream as it was sealed; the message says what to do. */
export class SegmentUnreadable extends Error {
  override readonly name = 'SegmentUnreadable';
  readonly code = 'SEGMENT_UNREADABLE';
  constructor(stream: string, problem: string) {
    super(
      `The stream ${stream} in EventStoreDB ${problem}. Restore EventStoreDB from a backup that has it: without it the archived day cannot be read.`,
    );
  }
}

/** The stream of a segment. Its name follows from the seal, which the log has. */
export const segmentStreamOf = (seal: string): string => `segment-${seal.slice(0, 32)}`;

/** The stream that has the archive file of a segment whose rows were restored. */
export const restoredStreamOf = (seal: string): string => `segment-${seal.slice(0, 32)}_restored`;

/**
 * Port for the side streams in which nodes that share a store keep sealed segments (docs/decisions/0078-archives-in-eventstoredb.md):
 * each is a text of bytes in parts, with an end that has their number and SHA-256.
 */
export interface SegmentStreams {
  /**
   * Writes parts to a stream, and its end. What an earlier, incomplete attempt left there is truncated first.
   * @throws when the store does not take it, or another writer uses the stream
   */
  write(stream: string, parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void>;
  /** The parts of a stream, of which the last one comes after all were found to be what was written. @throws SegmentUnreadable */
  read(stream: string): AsyncIterable<Uint8Array>;
  /** Removes all events of a stream up to a revision from what the store shows and keeps; a scavenge frees their space. */
  truncate(stream: string, upTo: number): Promise<void>;
  /** Removes a stream's content. Nothing happens to one that does not exist. */
  clear(stream: string): Promise<void>;
}
