import { missingEntryOf } from '../integrity/leaf/missingEntry.ts';
import { CompactRange } from '../integrity/merkle/compactRange.ts';
import { HASH_BYTES, leafHash } from '../integrity/merkle/hashes.ts';
import { TILE_WIDTH } from '../integrity/merkle/merkleTree.ts';
import { MAX_GAP, nextTileStart, type ScannedLeaves } from './partLeaves.ts';

const MAX_DIFFERING = 1_000;

export interface LogTreeOptions {
  /** The last position that is not verified. */
  readonly after?: number;
  /** Of trees whose roots are asked for. */
  readonly sizes?: Iterable<number>;
  /** The tree over the events that are not verified, if it is known; it is continued in place. */
  readonly start?: { readonly range: CompactRange; readonly firstEntry: string } | undefined;
}

/** Joins the leaves of the parts of a log to its Merkle tree. */
export class LogTree {
  readonly #range: CompactRange;
  /** Whether it has all tiles from the first one on. */
  readonly #isFromFirst: boolean;
  /** Sizes at which the root is asked for, the next one at the end. */
  readonly #sizes: number[];
  readonly #roots = new Map<number, Buffer>();
  readonly #tileRoots: Uint8Array[] = [];
  readonly #differing: number[] = [];
  #firstEntry: string | undefined;
  #firstGap: number | undefined;
  #gapsTo = 0;
  #isComplete: boolean;

  constructor({ after = 0, sizes = [], start }: LogTreeOptions = {}) {
    this.#range = start?.range ?? new CompactRange();
    this.#firstEntry = start?.firstEntry;
    this.#isFromFirst = start === undefined;
    this.#isComplete = after === this.#range.size;
    this.#sizes = [...new Set(sizes)]
      .filter((size) => size >= this.#range.size)
      .toSorted((left, right) => right - left);
    this.#noteRoots();
  }

  /** Adds a part; undefined for one whose positions are in another order. */
  add(leaves: ScannedLeaves | undefined): void {
    if (leaves && this.#differing.length < MAX_DIFFERING) this.#differing.push(...leaves.differing);
    const missing = (leaves?.first ?? 0) - this.#range.size;
    this.#isComplete &&= leaves !== undefined && missing >= 0 && missing <= MAX_GAP;
    if (!leaves || !this.#isComplete) return;
    if (missing > 0) this.#fill(leaves.first);
    if (leaves.gapsTo > 0) this.#firstGap ??= leaves.first + 1;
    this.#gapsTo = Math.max(this.#gapsTo, leaves.gapsTo);
    if (leaves.first === 0) this.#firstEntry = leaves.firstEntry;
    this.#tileRoots.push(leaves.tileRoots);
    this.#append(leaves);
  }

  /** The number of leaves. */
  get size(): number {
    return this.#range.size;
  }

  /** The entry of the first leaf; undefined when the log does not begin with it. */
  get firstEntry(): string | undefined {
    return this.#firstEntry;
  }

  /** Indexes of the first leaves that `tree.sqlite` has otherwise. */
  get differing(): readonly number[] {
    return this.#differing;
  }

  /** Up to this size, no position is missing. */
  get sizeBeforeGaps(): number {
    return this.#firstGap === undefined ? this.#range.size : this.#firstGap - 1;
  }

  /**
   * The root over all leaves.
   * @param acceptedTo up to this position missing events are an accepted loss
   * @returns undefined where positions are missing
   */
  root(acceptedTo: number): Buffer | undefined {
    return this.#isComplete && this.#gapsTo <= acceptedTo ? this.#range.root() : undefined;
  }

  /** The root at a size that was asked for; undefined when the tree did not come that far. */
  rootAt(size: number): Buffer | undefined {
    return this.#roots.get(size);
  }

  /** The roots of all full tiles of leaves, of a log that was added in parts of whole tiles; none where positions are missing, or before them. */
  tileRoots(): Buffer {
    return Buffer.concat(this.#isComplete && this.#isFromFirst && this.#gapsTo === 0 ? this.#tileRoots : []);
  }

  /** Adds the leaves of missing positions. */
  #fill(end: number): void {
    this.#firstGap ??= this.#range.size + 1;
    this.#gapsTo = end + 1;
    while (this.#range.size < end) {
      this.#range.append(leafHash(missingEntryOf(this.#range.size + 1)));
      this.#noteRoots();
    }
  }

  #append({ first, hashes, tileRoots }: ScannedLeaves): void {
    const end = first + hashes.length / HASH_BYTES;
    const firstTile = nextTileStart(first);
    for (let index = first; index < end; ) {
      // Where a root is asked for inside a tile, its leaves are added one by one.
      const isTile = index % TILE_WIDTH === 0 && index + TILE_WIDTH <= Math.min(end, this.#sizes.at(-1) ?? end);
      const [source, at, width] = isTile
        ? ([tileRoots, (index - firstTile) / TILE_WIDTH, TILE_WIDTH] as const)
        : ([hashes, index - first, 1] as const);
      this.#range.append(Buffer.from(source.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)), width);
      index += width;
      this.#noteRoots();
    }
  }

  #noteRoots(): void {
    while (this.#sizes.at(-1) === this.#range.size) this.#roots.set(this.#sizes.pop() as number, this.#range.root());
  }
}
