import { missingEntryOf } from '../integrity/leaf/missingEntry.ts';
import { fullSubtreeRoot, HASH_BYTES, leafHashText } from '../integrity/merkle/hashes.ts';
import { TILE_WIDTH } from '../integrity/merkle/merkleTree.ts';
import { MAX_DIFFERENCES, type TreeComparer } from './treeComparer.ts';

const TILE_BYTES = TILE_WIDTH * HASH_BYTES;

/** The leaves of a part of a log, for the thread that joins the parts. Missing positions have their leaves, too. */
export interface ScannedLeaves {
  /** Index of the first leaf. */
  readonly first: number;
  /** Its entry. */
  readonly firstEntry: string;
  /** Position of the last event that follows missing ones; 0 when no position is missing. */
  readonly gapsTo: number;
  /** The leaf hashes, 32 bytes each. */
  readonly hashes: Uint8Array<ArrayBuffer>;
  /** The roots of the full tiles among them, 32 bytes each. */
  readonly tileRoots: Uint8Array<ArrayBuffer>;
  /** Indexes of leaves that `tree.sqlite` has otherwise. */
  readonly differing: readonly number[];
}

/** Positions that may be missing between two events; a longer gap is no loss that anyone would go on with. */
export const MAX_GAP = 1_000_000;

/** Index of the first leaf of a tile at or behind a leaf. */
export const nextTileStart = (index: number): number => Math.ceil(index / TILE_WIDTH) * TILE_WIDTH;

/** Collects the leaf hashes of a part. */
export class PartLeaves {
  readonly #comparer: TreeComparer | undefined;
  /** Of the tile that is not compared yet. */
  #entries: string[] = [];
  readonly #differing: number[] = [];
  #first: number | undefined;
  #count = 0;
  #hashes = Buffer.allocUnsafeSlow(8 * TILE_BYTES);
  /** The last hashes, a character for each byte, until their tile is full: writing them at once costs less. */
  #unwritten = '';
  #firstEntry = '';
  #gapsTo = 0;
  #isConsecutive = true;

  /** @param comparer compares the leaves with those of `tree.sqlite` */
  constructor(comparer: TreeComparer | undefined) {
    this.#comparer = comparer;
  }

  /** @param entry the leaf entry of the event at this position */
  add(position: number, entry: string): void {
    if (this.#first === undefined) {
      this.#first = position - 1;
      this.#firstEntry = entry;
    }
    const missing = position - 1 - this.#first - this.#count;
    if (missing < 0 || missing > MAX_GAP) this.#isConsecutive = false;
    if (!this.#isConsecutive) return;
    for (let at = position - missing; at < position; at += 1) this.#push(missingEntryOf(at));
    if (missing > 0) this.#gapsTo = position;
    this.#push(entry);
  }

  /** @returns undefined where positions are in another order: no leaf index follows from them */
  leaves(): ScannedLeaves | undefined {
    if (this.#first === undefined || !this.#isConsecutive) return undefined;
    this.#endTile();
    const hashes = this.#hashes.subarray(0, this.#count * HASH_BYTES);
    return {
      first: this.#first,
      firstEntry: this.#firstEntry,
      gapsTo: this.#gapsTo,
      hashes,
      tileRoots: tileRoots(this.#first, hashes),
      differing: this.#differing,
    };
  }

  #push(entry: string): void {
    if (this.#count * HASH_BYTES === this.#hashes.length) this.#grow();
    const { hash, joined } = leafHashText(entry);
    this.#count += 1;
    this.#unwritten += hash;
    if (this.#comparer) this.#entries.push(joined);
    if (((this.#first as number) + this.#count) % TILE_WIDTH === 0) this.#endTile();
  }

  /** Compares the leaves since the last tile, so that few entries are kept. */
  #endTile(): void {
    const [entries, count] = [this.#entries, this.#count];
    this.#hashes.write(this.#unwritten, count * HASH_BYTES - this.#unwritten.length, 'latin1');
    this.#unwritten = '';
    if (!this.#comparer || entries.length === 0) return;
    this.#entries = [];
    if (this.#differing.length >= MAX_DIFFERENCES) return;
    const from = count - entries.length;
    const hashes = this.#hashes.subarray(from * HASH_BYTES, count * HASH_BYTES);
    this.#differing.push(...this.#comparer.compare((this.#first as number) + from, hashes, entries));
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
