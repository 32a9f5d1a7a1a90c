import { HASH_BYTES } from './hashes.ts';
import { type MerkleTree, type RightEdge, TILE_WIDTH } from './merkleTree.ts';

/** The incomplete tiles of a tree, one after the other, from level 0 up. */
export const joinEdge = (tree: MerkleTree): Buffer => Buffer.concat(tree.edge());

/** Takes the tiles of `joinEdge` apart. @param size the number of leaves of that tree */
export function edgeOf(size: number, bytes: Buffer): RightEdge {
  const edge: Buffer[] = [];
  let at = 0;
  for (let rest = size; rest > 0; rest = Math.floor(rest / TILE_WIDTH)) {
    const end = at + (rest % TILE_WIDTH) * HASH_BYTES;
    edge.push(bytes.subarray(at, end));
    at = end;
  }
  return edge;
}
