import { fullSubtreeRoot, HASH_BYTES, leafHash } from '../merkle/hashes.ts';
import { TILE_WIDTH } from '../merkle/merkleTree.ts';
import { decodeBundle } from '../tiles/entryBundle.ts';
import { tileWidth } from '../tiles/tilePaths.ts';
import { TilesDamaged, type TreeReader } from '../tiles/tileTree.ts';
import type { LeafSource } from './leafSource.ts';

/** Why a tree cannot be continued from a log. `altered log`: the tree is intact, and an event is not the one it was made of. */
export type Misfit = 'another log' | 'altered log' | 'damaged';

/**
 * Checks what every later root depends on: the last leaves against the log, and each hash at the edge against the tile below
 * it. At most 256 events and 2 MB of tiles per level are read.
 * @returns undefined for a tree that may grow, also for one that is longer than the log
 * @throws the error of SQLite
 */
export function findMisfit(tree: TreeReader, log: Pick<LeafSource, 'after'>): Misfit | undefined {
  const size = tree.size();
  if (size === 0) return undefined;
  try {
    if (!isOfLog(tree, log)) return 'another log';
    const misfit = misfitAtEnd(tree, log, size);
    if (misfit) return misfit;
    for (let level = 1; Math.floor(size / TILE_WIDTH ** level) > 0; level += 1) {
      if (!fitsToTilesBelow(tree, level, size)) return 'damaged';
    }
    return undefined;
  } catch (error) {
    if (error instanceof TilesDamaged) return 'damaged';
    throw error;
  }
}

/** Whether the first leaf is the first event of the log; true for an empty log. @throws TilesDamaged */
export function isOfLog(tree: TreeReader, log: Pick<LeafSource, 'after'>): boolean {
  const [first] = log.after(0, 1).entries;
  return first === undefined || tree.entry(0)?.toString() === first;
}

function misfitAtEnd(tree: TreeReader, log: Pick<LeafSource, 'after'>, size: number): Misfit | undefined {
  const index = Math.floor((size - 1) / TILE_WIDTH);
  const width = size - index * TILE_WIDTH;
  const hashes = readTile(tree, 0, index, width);
  const leaves = decodeBundle(tree.read({ level: 'entries', index, width }) ?? Buffer.alloc(0));
  let misfit: Misfit | undefined;
  // A log that lacks events now is compared as far as it goes: the tree is then right.
  for (const [at, entry] of log.after(index * TILE_WIDTH, width).entries.entries()) {
    const leaf = leaves[at];
    if (!leaf || !leafHash(leaf).equals(hashAt(hashes, at))) return 'damaged';
    if (leaf.toString() !== entry) misfit = 'altered log';
  }
  return misfit;
}

function fitsToTilesBelow(tree: TreeReader, level: number, size: number): boolean {
  const index = Math.floor(size / TILE_WIDTH ** (level + 1));
  const width = tileWidth(level, index, size);
  if (width === 0) return true;
  const hashes = readTile(tree, level, index, width);
  for (let at = 0; at < width; at += 1) {
    const below = readTile(tree, level - 1, index * TILE_WIDTH + at, TILE_WIDTH);
    if (!fullSubtreeRoot(below).equals(hashAt(hashes, at))) return false;
  }
  return true;
}

const readTile = (tree: TreeReader, level: number, index: number, width: number): Buffer =>
  tree.read({ level, index, width }) ?? Buffer.alloc(0);

const hashAt = (hashes: Buffer, at: number): Buffer => hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES);
