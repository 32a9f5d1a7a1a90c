import type { ArchivedEvents } from '../eventLog/archive/archivedEvents.ts';
import type { Segment } from '../eventLog/archive/segment.ts';
import { CompactRange } from '../integrity/merkle/compactRange.ts';
import { HASH_BYTES } from '../integrity/merkle/hashes.ts';
import { TILE_WIDTH } from '../integrity/merkle/merkleTree.ts';
import { edgeOf } from '../integrity/merkle/treeEdge.ts';

/**
 * The tree at the end of a segment, from the incomplete tiles that `archive.sqlite` has.
 * @returns undefined for tiles that do not have the sealed root
 */
export function sealedTree(archived: ArchivedEvents, segment: Segment): CompactRange | undefined {
  const { upTo, root } = segment.header;
  const range = new CompactRange();
  for (const [level, tile] of [...edgeOf(upTo, archived.edgeOf(segment)).entries()].toReversed()) {
    for (let at = 0; at + HASH_BYTES <= tile.length; at += HASH_BYTES)
      range.append(Buffer.from(tile.subarray(at, at + HASH_BYTES)), TILE_WIDTH ** level);
  }
  return range.size === upTo && range.root().toString('hex') === root ? range : undefined;
}
