import { fullSubtreeRoot, HASH_BYTES } from '../integrity/merkle/hashes.ts';
import { TILE_WIDTH } from '../integrity/merkle/merkleTree.ts';
import type { TileReader } from '../integrity/tiles/tileStore.ts';

const TILE_BYTES = TILE_WIDTH * HASH_BYTES;

/**
 * Whether a tile above the leaves has another hash than follows from the tiles below it. Hashes that it lacks do not count: the
 * tree may be smaller.
 * @param roots of the full tiles of leaves, 32 bytes each
 */
export function upperTilesDiffer(tiles: TileReader, roots: Buffer): boolean {
  for (let level = 1, hashes = roots; hashes.length > 0; level += 1) {
    const above: Buffer[] = [];
    for (let from = 0; from < hashes.length; from += TILE_BYTES) {
      const own = hashes.subarray(from, from + TILE_BYTES);
      const stored = tiles.readTile(level, from / TILE_BYTES) ?? Buffer.alloc(0);
      const common = Math.min(own.length, stored.length);
      if (own.compare(stored, 0, common, 0, common) !== 0) return true;
      if (own.length === TILE_BYTES) above.push(fullSubtreeRoot(own));
    }
    hashes = Buffer.concat(above);
  }
  return false;
}
