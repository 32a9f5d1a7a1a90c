import { HASH_BYTES } from '../integrity/merkle/hashes.ts';
import { TILE_WIDTH } from '../integrity/merkle/merkleTree.ts';
import { openTileReader } from '../integrity/tiles/sqliteTileStore.ts';

/** Of a tree that is wrong throughout, the first leaves of each part say enough. */
export const MAX_DIFFERENCES = 100;

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
   * @param hashes of consecutive leaves of one tile, 32 bytes each
   * @param entries of these leaves
   * @returns the indexes of leaves whose hash or entry differs
   */
  compare(first: number, hashes: Buffer, entries: readonly string[]): number[] {
    const from = first % TILE_WIDTH;
    const tile = (first - from) / TILE_WIDTH;
    const stored = (this.#tiles.readTile(0, tile) ?? Buffer.alloc(0)).subarray(from * HASH_BYTES);
    const common = Math.min(stored.length, hashes.length);
    const areHashesSame = stored.compare(hashes, 0, common, 0, common) === 0;
    const bundle = this.#tiles.readBundle(tile);
    if (areHashesSame && bundle && from === 0 && isBundleOf(bundle, entries)) return [];
    const others = entriesOf(bundle, from);
    const differing: number[] = [];
    for (const [offset, entry] of entries.entries()) {
      const other = others.next();
      const isOther = other.done !== true && other.value !== entry;
      const [at, until] = [offset * HASH_BYTES, (offset + 1) * HASH_BYTES];
      const isHashOther =
        !areHashesSame && until <= common && !stored.subarray(at, until).equals(hashes.subarray(at, until));
      if (isOther || isHashOther) differing.push(first + offset);
    }
    return differing;
  }

  close(): void {
    this.#tiles.close();
  }
}

const MAX_ASCII = 0x7f;

/**
 * Whether a bundle has exactly these entries. Compares one text instead of decoding each entry, which works for ASCII only.
 * @returns false also where that is not known
 */
function isBundleOf(bundle: Buffer, entries: readonly string[]): boolean {
  let text = '';
  let [latestLength, latestPrefix, aboveAscii] = [-1, '', 0];
  for (const entry of entries) {
    const { length } = entry;
    if (length !== latestLength) {
      latestLength = length;
      latestPrefix = String.fromCharCode(length >> 8, length & 0xff);
    }
    if ((length & 0xff) > MAX_ASCII) aboveAscii += 1;
    text += latestPrefix + entry;
  }
  const isAscii = Buffer.byteLength(text) === text.length + aboveAscii;
  return isAscii && text.length === bundle.length && text === bundle.toString('latin1');
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
