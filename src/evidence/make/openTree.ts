import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { backup, type DatabaseSync } from 'node:sqlite';
import { untouchedFile } from '../../dataFolder/untouchedFile.ts';
import type { ArchivedEvents } from '../../eventLog/archive/archivedEvents.ts';
import { openForReading } from '../../eventLog/sqlite/database.ts';
import { leafEntryOf, type StoredRow } from '../../integrity/leaf/leafEntry.ts';
import { missingEntryOf } from '../../integrity/leaf/missingEntry.ts';
import { openTileReader, openTileStore } from '../../integrity/tiles/sqliteTileStore.ts';
import { TreeReader, TreeWriter } from '../../integrity/tiles/tileTree.ts';

export interface OpenedTree {
  readonly tree: TreeReader;
  close(): void;
}

export interface OpenTreeOptions {
  /** The file of the tree, which may be missing, behind or damaged. */
  readonly path: string;
  /** The log, opened for reading. */
  readonly log: DatabaseSync;
  /** Leaf entries of events whose rows are archived. */
  readonly archived: ArchivedEvents | undefined;
  /** What the tree is to be: the newest checkpoint. */
  readonly size: number;
  readonly root: string;
  /** A folder for a tree that has to be made. */
  readonly temporary: string;
  readonly onStep: (step: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Opens the tree of a data folder, or one that is made from the log in a temporary folder. Writes nothing into the data folder. */
export async function openTree(options: OpenTreeOptions): Promise<OpenedTree> {
  const { path, size, root, temporary } = options;
  const copy = join(temporary, 'tree.sqlite');
  if (existsSync(path)) {
    try {
      const location = untouchedFile(path, temporary).location;
      const opened = openTiles(location);
      if (opened.tree.size() >= size) {
        if (opened.tree.root(size).toString('hex') === root) return opened;
        opened.close();
      } else {
        opened.close();
        await copyDatabase(location, copy);
        return await makeTree(copy, options);
      }
    } catch {
      // Whatever is wrong with a derived file, it is made again.
    }
  }
  return makeTree(join(temporary, 'tree-made.sqlite'), options);
}

function openTiles(location: string): OpenedTree {
  const tiles = openTileReader(location);
  return { tree: new TreeReader(tiles), close: () => tiles.close() };
}

async function copyDatabase(location: string, copy: string): Promise<void> {
  const database = openForReading(location);
  try {
    await backup(database, copy);
  } finally {
    database.close();
  }
}

const ROWS_PER_STEP = 1_024;

/** Adds the leaves of the log up to the checkpoint. */
async function makeTree(path: string, { log, archived, size, onStep, signal }: OpenTreeOptions): Promise<OpenedTree> {
  onStep('Making the part of the tree that tree.sqlite lacks');
  const store = openTileStore(path);
  try {
    const writer = new TreeWriter(store);
    const page = log.prepare(
      `SELECT position, stream, revision, id, type, version, time, data, metadata FROM events
       WHERE position > ? AND position <= ? ORDER BY position`,
    );
    while (writer.size < size) {
      signal?.throwIfAborted();
      const after = writer.size;
      const end = Math.min(after + ROWS_PER_STEP, size);
      const rows = page.all(after, end) as unknown as StoredRow[];
      const entries = new Map(rows.map((row) => [row.position, leafEntryOf(row)]));
      if (rows.length < end - after) {
        for (const { position, entry } of archived?.entries(after, end) ?? []) entries.set(position, entry);
      }
      const positions = Array.from({ length: end - after }, (_, index) => after + 1 + index);
      writer.append(positions.map((position) => entries.get(position) ?? missingEntryOf(position)));
      await new Promise(setImmediate);
    }
    return { tree: new TreeReader(store), close: () => store.close() };
  } catch (error) {
    store.close();
    throw error;
  }
}
