import type { SegmentStreams } from '../eventLog/archive/segmentStreams.ts';

/** What archiving needs of a store that several nodes share. */
export interface SharedArchive {
  /** Resolves when this node has read all that is in the store now. @throws when the store is unreachable */
  catchUp(): Promise<void>;
  readonly segments: SegmentStreams;
  /** The first revision of each stream that is truncated. */
  truncations(): ReadonlyMap<string, number>;
  /**
   * Does work that one node does at a time.
   * @param work its signal aborts when another node may do it
   * @throws CannotArchive `archiving_elsewhere`
   */
  exclusively<Result>(work: (signal: AbortSignal) => Promise<Result>, signal?: AbortSignal): Promise<Result>;
}
