import { HASH_BYTES } from '../integrity/merkle/hashes.ts';
import { TILE_WIDTH } from '../integrity/merkle/merkleTree.ts';
import { openTileReader } from '../integrity/tiles/sqliteTileStore.ts';

/** Of a tree that is wrong throughout, the first leaves say enough. */
const MAX_DIFFERENCES = 100;

/** Compares the leaves of a log with those that `tree.sqlite` has, for one thread. */
export class TreeComparer {
  readonly #tiles;

  /** @throws the error of SQLite for a file that is not a tree */
  constructor(location: string) {
    this.#tiles = openTileReader(location);
  }

  /**
   * Leaves that the tree does not have need no comparison: it may be behind.
   * @param first index of the first leaf
   * @returns the indexes of leaves whose hash or entry differs
   */
  compare(first: number, hashes: Buffer, entries: readonly string[]): number[] {
    const differing: number[] = [];
    const end = first + entries.length;
    for (let index = first; index < end && differing.length < MAX_DIFFERENCES; ) {
      const tile = Math.floor(index / TILE_WIDTH);
      const next = Math.min((tile + 1) * TILE_WIDTH, end);
      const own = hashes.subarray((index - first) * HASH_BYTES, (next - first) * HASH_BYTES);
      differing.push(...this.#compareTile(tile, index % TILE_WIDTH, own, entries.slice(index - first, next - first)));
      index = next;
    }
    return differing;
  }

  close(): void {
    this.#tiles.close();
  }

  #compareTile(tile: number, from: number, own: Buffer, entries: readonly string[]): number[] {
    const hashes = (this.#tiles.readTile(0, tile) ?? Buffer.alloc(0)).subarray(from * HASH_BYTES);
    const stored = Math.min(hashes.length, own.length);
    const areHashesSame = hashes.compare(own, 0, stored, 0, stored) === 0;
    const others = entriesOf(this.#tiles.readBundle(tile), from);
    const differing: number[] = [];
    for (const [offset, entry] of entries.entries()) {
      const other = others.next();
      const isOther = other.done !== true && other.value !== entry;
      const [at, until] = [offset * HASH_BYTES, (offset + 1) * HASH_BYTES];
      const isHashOther =
        !areHashesSame && until <= stored && !hashes.subarray(at, until).equals(own.subarray(at, until));
      if (isOther || isHashOther) differing.push(tile * TILE_WIDTH + from + offset);
    }
    return differing;
  }
}

/** The entries of a bundle from one on; one that ends within an entry has none behind that. */
function* entriesOf(bundle: Buffer | undefined, from: number): Generator<string> {
  if (!bundle) return;
  for (let at = 0, count = 0; at + 2 <= bundle.length; count += 1) {
    const end = at + 2 + bundle.readUInt16BE(at);
    if (count >= from) yield bundle.toString('utf8', at + 2, end);
    at = end;
  }
}
