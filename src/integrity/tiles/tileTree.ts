import { EMPTY_ROOT, fullSubtreeRoot, HASH_BYTES } from '../merkle/hashes.ts';
import { foldPartialTile, MerkleTree, TILE_WIDTH } from '../merkle/merkleTree.ts';
import { consistencyProof, inclusionProof, ProofError, type SubtreeHash } from '../merkle/proofs.ts';
import { cutBundle, decodeBundle } from './entryBundle.ts';
import { type TileName, tileWidth } from './tilePaths.ts';
import type { TileReader, TileStore, TreeGrowth } from './tileStore.ts';

/** The tiles do not fit together: the file was changed. Remove it; the tree is made again from the log. */
export class TilesDamaged extends Error {
  override readonly name = 'TilesDamaged';
}

/** The only writer of a tile store: adds leaf entries and keeps the edge of the tree in memory. */
export class TreeWriter {
  readonly #store: TileStore;
  #tree: MerkleTree;
  #full: { level: number; index: number; hashes: Buffer }[] = [];

  /** @throws TilesDamaged when the incomplete tiles do not fit to the size of the tree */
  constructor(store: TileStore) {
    this.#store = store;
    this.#tree = this.#resume();
  }

  get size(): number {
    return this.#tree.size;
  }

  root(): Buffer {
    return this.#tree.root();
  }

  /**
   * Adds leaves and stores them.
   * @param entries of the next positions, in order
   * @throws the error of the store; the tree is then as before
   */
  append(entries: readonly (string | Buffer)[]): void {
    const from = this.#tree.size;
    const stored = entries.map((entry) => (typeof entry === 'string' ? Buffer.from(entry) : entry));
    try {
      for (const entry of stored) this.#tree.append(entry);
      this.#store.append(this.#growth(from, stored));
    } catch (error) {
      this.#tree = this.#resume();
      throw error;
    } finally {
      this.#full = [];
    }
  }

  #growth(from: number, entries: Buffer[]): TreeGrowth {
    const { size } = this.#tree;
    const edge = this.#tree.edge();
    const full = this.#full.filter(({ level }) => level === 0);
    const upper = this.#full.filter(({ level }) => level > 0);
    // Without a full tile below them, the upper tiles are unchanged.
    const changed = full.length === 0 ? [] : edge.slice(1);
    for (const [above, hashes] of changed.entries()) {
      const level = above + 1;
      if (hashes.length > 0) upper.push({ level, index: Math.floor(size / TILE_WIDTH ** (level + 1)), hashes });
    }
    return { from, entries, fullTiles: full, upperTiles: upper, edge: edge[0] ?? Buffer.alloc(0) };
  }

  #resume(): MerkleTree {
    const size = this.#store.size();
    return MerkleTree.resume(size, edgeOf(this.#store, size), (level, index, hashes) => {
      this.#full.push({ level, index, hashes });
    });
  }
}

function edgeOf(reader: TileReader, size: number): Buffer[] {
  const edge: Buffer[] = [];
  for (let level = 0; Math.floor(size / TILE_WIDTH ** level) > 0; level += 1) {
    const index = Math.floor(size / TILE_WIDTH ** (level + 1));
    const width = tileWidth(level, index, size);
    edge.push(width === 0 ? Buffer.alloc(0) : hashesOf(reader, level, index, width));
  }
  return edge;
}

/** @throws TilesDamaged when the tile is missing or narrower */
function hashesOf(reader: TileReader, level: number, index: number, width: number): Buffer {
  const hashes = reader.readTile(level, index);
  if (!hashes || hashes.length < width * HASH_BYTES) {
    throw new TilesDamaged(
      `tile ${index} of level ${level} has ${(hashes?.length ?? 0) / HASH_BYTES} hashes, not ${width}`,
    );
  }
  return hashes.subarray(0, width * HASH_BYTES);
}

/** Root, proofs and tiles of the tree as it is now or was at any earlier size. */
export class TreeReader {
  readonly #tiles: TileReader;

  constructor(tiles: TileReader) {
    this.#tiles = tiles;
  }

  size(): number {
    return this.#tiles.size();
  }

  /** @throws ProofError when the tree is smaller @throws TilesDamaged */
  root(size: number = this.size()): Buffer {
    this.#requireSize(size);
    let root: Buffer | undefined;
    for (const hashes of edgeOf(this.#tiles, size)) root = foldPartialTile(hashes, root);
    return root ?? EMPTY_ROOT;
  }

  /** @throws ProofError when the tree of this size has no such leaf @throws TilesDamaged */
  inclusionProof(index: number, size: number): Buffer[] {
    this.#requireSize(size);
    return inclusionProof(index, size, this.subtrees());
  }

  /** @throws ProofError when the tree is smaller @throws TilesDamaged */
  consistencyProof(from: number, to: number): Buffer[] {
    this.#requireSize(to);
    return consistencyProof(from, to, this.subtrees());
  }

  /** The leaf entry at an index; undefined when there is none. @throws TilesDamaged */
  entry(index: number): Buffer | undefined {
    if (!Number.isSafeInteger(index) || index < 0 || index >= this.size()) return undefined;
    const entry = this.#bundle(Math.floor(index / TILE_WIDTH), decodeBundle)[index % TILE_WIDTH];
    if (!entry) throw new TilesDamaged(`the bundle of entry ${index} does not have it`);
    return entry;
  }

  /**
   * The bytes of a tile or bundle as https://c2sp.org/tlog-tiles serves them; undefined when the tree has none that is as wide.
   * @throws TilesDamaged
   */
  read({ level, index, width }: TileName): Buffer | undefined {
    if (tileWidth(level, index, this.size()) < width) return undefined;
    if (level !== 'entries') return hashesOf(this.#tiles, level, index, width);
    return this.#bundle(index, (bundle) => cutBundle(bundle, width));
  }

  #bundle<T>(index: number, use: (bundle: Buffer) => T): T {
    try {
      return use(this.#tiles.readBundle(index) ?? Buffer.alloc(0));
    } catch (error) {
      throw new TilesDamaged(`bundle ${index} cannot be read: ${(error as Error).message}`, { cause: error });
    }
  }

  #requireSize(size: number): void {
    const present = this.size();
    if (size > present) throw new ProofError(`the tree has ${present} leaves, not ${size}`);
  }

  /** The hashes of full subtrees. Reads each tile once and keeps it as long as the function. */
  subtrees(): SubtreeHash {
    const read = new Map<string, Buffer>();
    return (start, end) => {
      const leaves = end - start;
      let level = 0;
      while (TILE_WIDTH ** (level + 1) <= leaves) level += 1;
      const unit = TILE_WIDTH ** level;
      const index = Math.floor(start / unit / TILE_WIDTH);
      const from = (start / unit) % TILE_WIDTH;
      const to = from + leaves / unit;
      const key = `${level}/${index}`;
      const hashes = read.get(key) ?? hashesOf(this.#tiles, level, index, to);
      // The widest that is needed is not known yet, so the whole tile is kept.
      const tile = hashes.length < to * HASH_BYTES ? hashesOf(this.#tiles, level, index, to) : hashes;
      read.set(key, tile);
      return fullSubtreeRoot(tile.subarray(from * HASH_BYTES, to * HASH_BYTES));
    };
  }
}
