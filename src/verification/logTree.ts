import { CompactRange } from '../integrity/merkle/compactRange.ts';
import { HASH_BYTES } from '../integrity/merkle/hashes.ts';
import { TILE_WIDTH } from '../integrity/merkle/merkleTree.ts';
import { nextTileStart, type ScannedLeaves } from './partLeaves.ts';

const MAX_DIFFERING = 1_000;

/** Joins the leaves of the parts of a log to its Merkle tree. */
export class LogTree {
  readonly #range = new CompactRange();
  /** Sizes at which the root is asked for, the next one at the end. */
  readonly #sizes: number[];
  readonly #roots = new Map<number, Buffer>();
  readonly #tileRoots: Uint8Array[] = [];
  readonly #differing: number[] = [];
  #isComplete = true;

  /** @param sizes of trees whose roots are asked for */
  constructor(sizes: Iterable<number> = []) {
    this.#sizes = [...new Set(sizes)].toSorted((left, right) => right - left);
    this.#noteRoots();
  }

  /** Adds a part; undefined for one whose positions have a gap. */
  add(leaves: ScannedLeaves | undefined): void {
    if (leaves && this.#differing.length < MAX_DIFFERING) this.#differing.push(...leaves.differing);
    this.#isComplete &&= leaves?.first === this.#range.size;
    if (!leaves || !this.#isComplete) return;
    const hashes = Buffer.from(leaves.hashes.buffer, leaves.hashes.byteOffset, leaves.hashes.byteLength);
    this.#tileRoots.push(leaves.tileRoots);
    const end = leaves.first + hashes.length / HASH_BYTES;
    const firstTile = nextTileStart(leaves.first);
    for (let index = leaves.first; index < end; ) {
      // Where a root is asked for inside a tile, its leaves are added one by one.
      const isTile =
        index % TILE_WIDTH === 0 && index + TILE_WIDTH <= end && !((this.#sizes.at(-1) ?? end) < index + TILE_WIDTH);
      const [source, at, width] = isTile
        ? ([leaves.tileRoots, (index - firstTile) / TILE_WIDTH, TILE_WIDTH] as const)
        : ([hashes, index - leaves.first, 1] as const);
      this.#range.append(Buffer.from(source.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)), width);
      index += width;
      this.#noteRoots();
    }
  }

  /** The number of leaves. */
  get size(): number {
    return this.#range.size;
  }

  /** Indexes of the first leaves that `tree.sqlite` has otherwise. */
  get differing(): readonly number[] {
    return this.#differing;
  }

  /** The root over all leaves; undefined where positions are missing. */
  root(): Buffer | undefined {
    return this.#isComplete ? this.#range.root() : undefined;
  }

  /** The root at a size that was asked for; undefined when the tree did not come that far. */
  rootAt(size: number): Buffer | undefined {
    return this.#roots.get(size);
  }

  /** The roots of all full tiles of leaves, of a log that was added in parts of whole tiles; none where positions are missing. */
  tileRoots(): Buffer {
    return Buffer.concat(this.#isComplete ? this.#tileRoots : []);
  }

  #noteRoots(): void {
    while (this.#sizes.at(-1) === this.#range.size) this.#roots.set(this.#sizes.pop() as number, this.#range.root());
  }
}
