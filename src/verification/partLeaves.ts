import { fullSubtreeRoot, HASH_BYTES, writeLeafHash } from '../integrity/merkle/hashes.ts';
import { TILE_WIDTH } from '../integrity/merkle/merkleTree.ts';
import type { TreeComparer } from './treeComparer.ts';

const TILE_BYTES = TILE_WIDTH * HASH_BYTES;

/** The leaves of a part of a log, for the thread that joins the parts. */
export interface ScannedLeaves {
  /** Index of the first leaf. */
  readonly first: number;
  /** The leaf hashes, 32 bytes each. */
  readonly hashes: Uint8Array<ArrayBuffer>;
  /** The roots of the full tiles among them, 32 bytes each. */
  readonly tileRoots: Uint8Array<ArrayBuffer>;
  /** Indexes of leaves that `tree.sqlite` has otherwise. */
  readonly differing: readonly number[];
}

/** Index of the first leaf of a tile at or behind a leaf. */
export const nextTileStart = (index: number): number => Math.ceil(index / TILE_WIDTH) * TILE_WIDTH;

/** Collects the leaf hashes of a part. */
export class PartLeaves {
  readonly #comparer: TreeComparer | undefined;
  readonly #entries: string[] = [];
  #first: number | undefined;
  #count = 0;
  #hashes = Buffer.allocUnsafeSlow(8 * TILE_BYTES);
  #isConsecutive = true;

  /** @param comparer compares the leaves with those of `tree.sqlite` */
  constructor(comparer: TreeComparer | undefined) {
    this.#comparer = comparer;
  }

  /** @param entry the leaf entry of the event at this position */
  add(position: number, entry: string): void {
    this.#first ??= position - 1;
    if (position - 1 !== this.#first + this.#count) this.#isConsecutive = false;
    if (this.#count * HASH_BYTES === this.#hashes.length) this.#grow();
    writeLeafHash(entry, this.#hashes, this.#count * HASH_BYTES);
    this.#count += 1;
    if (this.#comparer) this.#entries.push(entry);
  }

  /** @returns undefined where positions are missing or in another order: no leaf index follows from them */
  leaves(): ScannedLeaves | undefined {
    if (this.#first === undefined || !this.#isConsecutive) return undefined;
    const hashes = this.#hashes.subarray(0, this.#count * HASH_BYTES);
    const differing = this.#comparer?.compare(this.#first, hashes, this.#entries) ?? [];
    return { first: this.#first, hashes, tileRoots: tileRoots(this.#first, hashes), differing };
  }

  #grow(): void {
    const larger = Buffer.allocUnsafeSlow(2 * this.#hashes.length);
    this.#hashes.copy(larger);
    this.#hashes = larger;
  }
}

function tileRoots(first: number, hashes: Buffer): Uint8Array<ArrayBuffer> {
  const start = (nextTileStart(first) - first) * HASH_BYTES;
  const tiles = Math.max(0, Math.floor((hashes.length - start) / TILE_BYTES));
  const roots = new Uint8Array(tiles * HASH_BYTES);
  for (let tile = 0; tile < tiles; tile += 1) {
    const from = start + tile * TILE_BYTES;
    roots.set(fullSubtreeRoot(hashes.subarray(from, from + TILE_BYTES)), tile * HASH_BYTES);
  }
  return roots;
}
