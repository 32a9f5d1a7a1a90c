import { EMPTY_ROOT, fullSubtreeRoot, HASH_BYTES, nodeHash, writeLeafHash } from './hashes.ts';

/** Hashes in a full tile: a subtree of height 8 (https://c2sp.org/tlog-tiles). */
export const TILE_WIDTH = 256;
const TILE_BYTES = TILE_WIDTH * HASH_BYTES;

/** Called for each tile that is complete, from the lowest level up. The hashes belong to the receiver. */
export type OnTile = (level: number, index: number, hashes: Buffer) => void;

/** The incomplete tile of each level, from level 0 up: what a tree needs to grow. Each has 0 to 255 hashes. */
export type RightEdge = readonly Buffer[];

/**
 * A Merkle tree that grows to the right (RFC 6962, section 2.1). It keeps only the incomplete tile of each level, at most 8 kB
 * each, and passes the complete ones on. A verifier that needs only the root ignores them.
 */
export class MerkleTree {
  readonly #onTile: OnTile;
  /** A full tile's bytes per level, of which `#widths` hashes are written. */
  readonly #tiles: Buffer[] = [];
  readonly #widths: number[] = [];
  #size = 0;

  constructor(onTile: OnTile = () => {}) {
    this.#onTile = onTile;
  }

  /** Continues the tree of which these incomplete tiles are kept. @throws RangeError when they do not fit to the size */
  static resume(size: number, edge: RightEdge, onTile?: OnTile): MerkleTree {
    const tree = new MerkleTree(onTile);
    for (let level = 0, rest = size; rest > 0; level += 1, rest = Math.floor(rest / TILE_WIDTH)) {
      const hashes = edge[level] ?? Buffer.alloc(0);
      const width = rest % TILE_WIDTH;
      if (hashes.length !== width * HASH_BYTES) {
        throw new RangeError(`a tree of ${size} leaves has ${width} hashes at the edge of level ${level}`);
      }
      const tile = Buffer.allocUnsafe(TILE_BYTES);
      hashes.copy(tile);
      tree.#tiles.push(tile);
      tree.#widths.push(width);
    }
    tree.#size = size;
    return tree;
  }

  /** The number of leaves. */
  get size(): number {
    return this.#size;
  }

  /** Adds a leaf with this entry; text is hashed as UTF-8. */
  append(entry: string | Buffer): void {
    const tile = this.#tileAt(0);
    writeLeafHash(entry, tile, (this.#widths[0] as number) * HASH_BYTES);
    this.#added(0);
  }

  /** Adds a leaf of which only the hash is known. */
  appendHash(hash: Buffer): void {
    hash.copy(this.#tileAt(0), (this.#widths[0] as number) * HASH_BYTES, 0, HASH_BYTES);
    this.#added(0);
  }

  /** The root hash of all leaves so far. */
  root(): Buffer {
    let root: Buffer | undefined;
    for (const [level, tile] of this.#tiles.entries()) {
      root = foldPartialTile(tile.subarray(0, (this.#widths[level] as number) * HASH_BYTES), root);
    }
    return root ?? EMPTY_ROOT;
  }

  /** A copy of the incomplete tiles. */
  edge(): Buffer[] {
    return this.#tiles.map((tile, level) =>
      Buffer.from(tile.subarray(0, (this.#widths[level] as number) * HASH_BYTES)),
    );
  }

  #tileAt(level: number): Buffer {
    let tile = this.#tiles[level];
    if (tile) return tile;
    tile = Buffer.allocUnsafe(TILE_BYTES);
    this.#tiles[level] = tile;
    this.#widths[level] = 0;
    return tile;
  }

  #added(level: number): void {
    if (level === 0) this.#size += 1;
    const width = (this.#widths[level] as number) + 1;
    this.#widths[level] = width % TILE_WIDTH;
    if (width < TILE_WIDTH) return;
    const tile = this.#tiles[level] as Buffer;
    const root = fullSubtreeRoot(tile);
    this.#tiles[level] = Buffer.allocUnsafe(TILE_BYTES);
    this.#onTile(level, Math.floor(this.#size / TILE_WIDTH ** (level + 1)) - 1, tile);
    root.copy(this.#tileAt(level + 1), (this.#widths[level + 1] as number) * HASH_BYTES);
    this.#added(level + 1);
  }
}

/**
 * Joins the hashes of an incomplete tile with the root of everything to the right of it: the full subtrees of the tile become
 * smaller from left to right, so they are joined from the right.
 */
export function foldPartialTile(hashes: Buffer, right: Buffer | undefined): Buffer | undefined {
  let end = hashes.length / HASH_BYTES;
  let root = right;
  for (let width = 1; end > 0; width *= 2) {
    if (end % (2 * width) === 0) continue;
    const subtree = fullSubtreeRoot(hashes.subarray((end - width) * HASH_BYTES, end * HASH_BYTES));
    root = root ? nodeHash(subtree, root) : subtree;
    end -= width;
  }
  return root;
}
