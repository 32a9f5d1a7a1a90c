import { join } from 'node:path';
import { openTileStore } from '../../../src/integrity/tiles/sqliteTileStore.ts';
import { TreeReader, TreeWriter } from '../../../src/integrity/tiles/tileTree.ts';
import type { Tree } from '../../../src/integrity/tree/tree.ts';

/** A tree of given entries in this process, without a log. */
export interface MemoryTree extends Tree {
  /** Adds entries `<prefix><index>`. @returns the new size */
  grow(count: number, prefix?: string): number;
}

/** @param folder of its file, which is continued when it is there */
export function openMemoryTree(folder: string): MemoryTree {
  const store = openTileStore(join(folder, 'tree.sqlite'));
  const writer = new TreeWriter(store);
  const reader = new TreeReader(store);
  return {
    get size() {
      return writer.size;
    },
    grow(count, prefix = 'entry ') {
      writer.append(Array.from({ length: count }, (_, at) => `${prefix}${writer.size + at}`));
      return writer.size;
    },
    notify: () => undefined,
    reached: async () => writer.size,
    root: async (size = writer.size) => ({ size, root: reader.root(size) }),
    inclusionProof: async (index, size) => reader.inclusionProof(index, size),
    consistencyProof: async (from, to) => reader.consistencyProof(from, to),
    entry: async (index) => reader.entry(index),
    archivedRequest: async () => undefined,
    tile: async (name) => reader.read(name),
    close: async () => store.close(),
  };
}
