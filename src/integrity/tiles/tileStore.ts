/** What a tree has gained: one or more leaves, and what the leaves changed above them. */
export interface TreeGrowth {
  /** Size of the tree before: the index of the first new leaf. */
  readonly from: number;
  /** The new leaf entries, in order. */
  readonly entries: readonly Buffer[];
  /** Full tiles of level 0 that the leaves completed. */
  readonly fullTiles: readonly { readonly index: number; readonly hashes: Buffer }[];
  /** Tiles of level 1 and above that changed, in their present width. */
  readonly upperTiles: readonly { readonly level: number; readonly index: number; readonly hashes: Buffer }[];
  /** The incomplete tile of level 0; empty after a full one. */
  readonly edge: Buffer;
}

/**
 * Where the tiles of the tree are kept. They are derived from the event log: they may be deleted and are made again.
 * Tiles are returned as wide as they are now; a reader cuts off what it does not need.
 */
export interface TileStore {
  /** The number of leaves. */
  size(): number;
  /**
   * Adds leaves; all of it is kept, or nothing, also when the process is killed.
   * @throws Error when `from` is not the present size
   */
  append(growth: TreeGrowth): void;
  /** The hashes of a tile, 32 bytes each; undefined when there is none. */
  readTile(level: number, index: number): Buffer | undefined;
  /** The entries of a bundle in the format of `entryBundle.ts`; undefined when there is none. */
  readBundle(index: number): Buffer | undefined;
  /** Removes everything, so that the tree is made again. */
  clear(): void;
  close(): void;
}

/** The part of the store that readers use, which may be in another thread than the writer. */
export type TileReader = Pick<TileStore, 'size' | 'readTile' | 'readBundle'>;
