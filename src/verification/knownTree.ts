import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type UntouchedFile, untouchedFile } from '../dataFolder/untouchedFile.ts';
import { type LeafEntry, parseLeafEntry } from '../integrity/leaf/leafEntry.ts';
import { areTilesCreated, openTileReader } from '../integrity/tiles/sqliteTileStore.ts';
import { TreeReader } from '../integrity/tiles/tileTree.ts';
import type { KnownFact } from './knownFacts.ts';

/** The tree that a data folder has of its log. It is derived, so that a missing, damaged or smaller one is no finding. */
export interface KnownTree {
  readonly file: UntouchedFile;
  readonly size: number;
  /** What it says about the last event that it covers. */
  readonly fact: KnownFact;
}

export interface FoundTree {
  readonly tree?: KnownTree;
  /** Why it cannot be compared with. */
  readonly note?: string;
}

/** @param temporary a folder for a copy of the file */
export function findKnownTree(folder: string, temporary: string): FoundTree {
  const path = join(folder, 'tree.sqlite');
  if (!existsSync(path)) return {};
  try {
    const file = untouchedFile(path, temporary);
    if (!areTilesCreated(file.location)) return {};
    const tiles = openTileReader(file.location);
    try {
      const reader = new TreeReader(tiles);
      const size = reader.size();
      const entry = size > 0 ? reader.entry(size - 1)?.toString() : undefined;
      return entry === undefined ? {} : { tree: { file, size, fact: factOf(size, parseLeafEntry(entry)) } };
    } finally {
      tiles.close();
    }
  } catch (error) {
    return { note: `tree.sqlite cannot be read, so that it was not compared: ${(error as Error).message}` };
  }
}

const factOf = (size: number, { id }: LeafEntry): KnownFact => ({
  source: 'tree.sqlite',
  position: size,
  name: typeof id === 'string' ? id : undefined,
});
