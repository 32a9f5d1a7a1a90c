import { existsSync, rmSync } from 'node:fs';
import { damagedFile } from '../../dataFolder/openDatabase.ts';
import type { LogEnd } from '../../eventLog/sqlite/logEnd.ts';
import { parseLeafEntry } from '../leaf/leafEntry.ts';
import { openTileReader } from '../tiles/sqliteTileStore.ts';
import { TilesDamaged, TreeReader } from '../tiles/tileTree.ts';
import { isOfLog } from './findMisfit.ts';
import { LeafSource } from './leafSource.ts';

/** The file of the tree in the data folder. */
export const TREE_FILE = 'tree.sqlite';

/** Removes the file with its write-ahead log, if they exist. */
export function removeTreeFile(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
}

/** Whether an error means that this file, or what its tiles say, is damaged: it can be made again from the log. */
export const isTreeDamage = (error: unknown, path: string): boolean =>
  error instanceof TilesDamaged || damagedFile(error) === path;

/**
 * The last event in a tree. A tree is made from the log and never ahead of it, so the log has reached this event.
 * @returns undefined for a file that is missing, empty or cannot be read, and for the tree of a log that begins with another event
 */
export function readTreeEnd(
  path: string,
  logPath: string,
): (Pick<LogEnd, 'position' | 'time'> & { readonly id: string | null }) | undefined {
  if (!existsSync(path)) return undefined;
  const log = new LeafSource(logPath);
  let tiles: ReturnType<typeof openTileReader> | undefined;
  try {
    tiles = openTileReader(path);
    const tree = new TreeReader(tiles);
    const last = tree.entry(tree.size() - 1);
    if (!last || !isOfLog(tree, log)) return undefined;
    const { position, id, time } = parseLeafEntry(last.toString());
    return { position, time, id: typeof id === 'string' ? id : null } as ReturnType<typeof readTreeEnd>;
  } catch {
    // Whatever opens the log or the tree reports a file that cannot be read.
    return undefined;
  } finally {
    tiles?.close();
    log.close();
  }
}
