import type { ArchivedRequest } from '../../eventLog/archive/archivedEvents.ts';
import type { TileName } from '../tiles/tilePaths.ts';

/**
 * The Merkle tree over all events, kept by a thread of its own from the log's file. It follows the log with a delay, and its
 * methods reject with `ProofError` when it is smaller than what was asked for.
 */
export interface Tree {
  /** Number of leaves as far as this thread knows: the position of the last event in the tree. */
  readonly size: number;
  /** Called when the log has grown to this position. */
  notify(position: number): void;
  /** Resolves with the size once the tree covers the position, or with the present size after the time. */
  reached(position: number, timeoutMs: number): Promise<number>;
  /** Resolves with the root of 32 bytes, of the present tree or of an earlier size. */
  root(size?: number): Promise<{ readonly size: number; readonly root: Buffer }>;
  inclusionProof(index: number, size: number): Promise<Buffer[]>;
  consistencyProof(from: number, to: number): Promise<Buffer[]>;
  /** Resolves with the leaf entry of an index, one line of JSON without newline; with undefined when there is none. */
  entry(index: number): Promise<Buffer | undefined>;
  /** Resolves with the end of an archived request; with undefined when it is not archived. */
  archivedRequest(requestId: string): Promise<ArchivedRequest | undefined>;
  /** Resolves with a tile or bundle as https://c2sp.org/tlog-tiles serves it; with undefined when there is none. */
  tile(name: TileName): Promise<Buffer | undefined>;
  close(): Promise<void>;
}
