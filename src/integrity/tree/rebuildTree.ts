import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { requireLogFile } from '../../dataFolder/requireLogFile.ts';
import { describeBreak, type LogBreak } from '../../eventLog/continuity.ts';
import { HASH_BYTES } from '../merkle/hashes.ts';
import { MerkleTree, TILE_WIDTH } from '../merkle/merkleTree.ts';
import { decodeBundle } from '../tiles/entryBundle.ts';
import { areTilesCreated, openTileReader } from '../tiles/sqliteTileStore.ts';
import { TreeReader } from '../tiles/tileTree.ts';
import { LeafSource } from './leafSource.ts';
import { isTreeDamage, removeTreeFile, TREE_FILE } from './treeFile.ts';
import { TreeFollower } from './treeFollower.ts';

export interface TreeRebuildOptions {
  /** Contains `tree.sqlite` and the log. */
  readonly folder: string;
  /** The log's file in this folder: `log.sqlite`, or the mirror of EventStoreDB. */
  readonly logName?: string;
  /** Called now and then. */
  readonly onProgress?: (done: number, of: number) => void;
}

export interface TreeComparison {
  /** Number of leaves that were compared. */
  readonly size: number;
  /** The first differences, one line each. */
  readonly differences: readonly string[];
}

const MAX_DIFFERENCES = 10;

/**
 * Makes the tree from the log beside the existing one, then replaces that. No other process may have it open.
 * @returns its size, and the event before which it ends because positions are missing
 * @throws LogFileMissing
 */
export function rebuildTree({ folder, logName, onProgress }: TreeRebuildOptions): {
  readonly size: number;
  readonly broken: LogBreak | undefined;
} {
  const [live, path] = [join(folder, TREE_FILE), join(folder, 'tree.new.sqlite')];
  const logPath = requireLogFile(folder, logName);
  const end = endOf(logPath);
  let broken: LogBreak | undefined;
  removeTreeFile(path);
  const tree = new TreeFollower({
    path,
    logPath,
    onRemake: () => undefined,
    onBreak: (found) => {
      broken = found;
    },
  });
  let size: number;
  try {
    while (tree.step()) onProgress?.(tree.size, end);
    onProgress?.(tree.size, end);
    ({ size } = tree);
  } finally {
    tree.close();
  }
  // A crash between the two leaves no file; the next start then makes one.
  removeTreeFile(live);
  renameSync(path, live);
  return { size, broken };
}

/**
 * Makes the tree from the log in memory, up to the size of the one in the folder, and compares all tiles and leaf entries. The
 * live one is only read, and may grow meanwhile.
 * @returns undefined when there is no tree, or none yet
 * @throws LogFileMissing
 */
export function compareTree({ folder, logName, onProgress }: TreeRebuildOptions): TreeComparison | undefined {
  const path = join(folder, TREE_FILE);
  const logPath = requireLogFile(folder, logName);
  if (!existsSync(path)) return undefined;
  const log = new LeafSource(logPath);
  try {
    if (!areTilesCreated(path)) return undefined;
    const tiles = openTileReader(path);
    try {
      const live = new TreeReader(tiles);
      const size = live.size();
      return { size, differences: differencesOf(live, size, log, logPath, onProgress) };
    } finally {
      tiles.close();
    }
  } catch (error) {
    if (!isTreeDamage(error, path)) throw error;
    return { size: 0, differences: [`tree: ${(error as Error).message}`] };
  } finally {
    log.close();
  }
}

function differencesOf(
  live: TreeReader,
  size: number,
  log: LeafSource,
  logPath: string,
  onProgress: TreeRebuildOptions['onProgress'],
): string[] {
  const differences: string[] = [];
  const compareTile = (level: number, index: number, hashes: Buffer): void => {
    const width = hashes.length / HASH_BYTES;
    if (width === 0 || live.read({ level, index, width })?.equals(hashes)) return;
    differences.push(`tree: tile ${index} of level ${level} differs from the one that is made from the log`);
  };
  const tree = new MerkleTree(compareTile);
  while (tree.size < size && differences.length < MAX_DIFFERENCES) {
    const [first, width] = [tree.size, Math.min(TILE_WIDTH, size - tree.size)];
    const { entries, broken } = log.after(first, width);
    const bundle = decodeBundle(live.read({ level: 'entries', index: first / TILE_WIDTH, width }) as Buffer);
    for (const [at, entry] of entries.entries()) {
      tree.append(entry);
      const stored = bundle[at]?.toString();
      if (stored !== entry)
        differences.push(
          `tree: the leaf of position ${first + at + 1} is ${stored} in the live tree, ${entry} rebuilt`,
        );
    }
    if (entries.length < width) {
      const reason = broken ? describeBreak(logPath, broken) : `${logPath} ends at position ${tree.size}.`;
      differences.push(`tree: the live tree has ${size} leaves, but ${reason}`);
      return differences;
    }
    onProgress?.(tree.size, size);
  }
  if (tree.size === size) {
    for (const [level, hashes] of tree.edge().entries()) {
      compareTile(level, Math.floor(size / TILE_WIDTH ** (level + 1)), hashes);
    }
  }
  return differences.slice(0, MAX_DIFFERENCES);
}

function endOf(logPath: string): number {
  const log = new LeafSource(logPath);
  try {
    return log.end();
  } finally {
    log.close();
  }
}
