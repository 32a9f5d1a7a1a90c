import type { DatabaseSync } from 'node:sqlite';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { openDatabase } from '../../dataFolder/openDatabase.ts';
import { type FileGuard, guardFile } from '../../eventLog/sqlite/fileGuard.ts';
import { TILE_WIDTH } from '../merkle/merkleTree.ts';
import { encodeBundle } from './entryBundle.ts';
import type { TileReader, TileStore, TreeGrowth } from './tileStore.ts';
import { TilesDamaged } from './tileTree.ts';

/** Raised when tables or entries change: a file of another layout is made again. */
const LAYOUT = 1;
const BUSY_TIMEOUT_MS = 5_000;
/** Of leaf entries, this level makes a tenth less than the default one, in half of the time. */
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** Most bundles fit into one chunk: joining those of the default size costs a third of reading one. */
const DECOMPRESSION = { chunkSize: 131_072 };

// `recent` holds what was added to the incomplete bundle, one row per growth (docs/decisions/0069-tiles-in-a-file-of-their-own.md).
const TABLES = `
  CREATE TABLE tiles (
    level INTEGER NOT NULL, tile INTEGER NOT NULL, hashes BLOB NOT NULL, PRIMARY KEY (level, tile)
  ) STRICT;
  CREATE TABLE bundles (bundle INTEGER PRIMARY KEY, entries BLOB NOT NULL) STRICT;
  CREATE TABLE recent (first INTEGER PRIMARY KEY, entries BLOB NOT NULL) STRICT;
  CREATE TABLE tree (size INTEGER NOT NULL) STRICT;
  INSERT INTO tree VALUES (0);
  PRAGMA user_version = ${LAYOUT};
`;

/**
 * Opens `tree.sqlite` for its only writer, and creates it when there is none.
 * @throws the error of SQLite; for a damaged file with its name and what to do; TilesDamaged when tables are missing
 */
export function openTileStore(path: string): SqliteTileStore {
  const database = openDatabase(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    database.exec('PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    if (layoutOf(database) !== LAYOUT) createTables(database);
    else requireTables(database);
    return new SqliteTileStore(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Opens the tiles for reading, also beside the writer. `areTilesCreated` must hold.
 * @throws the error of SQLite, or TilesDamaged when tables are missing
 */
export function openTileReader(path: string): TileReader & { close(): void } {
  const database = openDatabase(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    requireTables(database);
    return new SqliteTileStore(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Whether a file has the tables of this version. It has none for the moment between its creation and the first transaction of its
 * writer, and those of another version until svc starts. @throws the error of SQLite
 */
export function areTilesCreated(path: string): boolean {
  const database = openDatabase(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    return layoutOf(database) === LAYOUT;
  } finally {
    database.close();
  }
}

const TABLE_NAMES = ['tiles', 'bundles', 'recent', 'tree'];

const layoutOf = (database: DatabaseSync): unknown => database.prepare('PRAGMA user_version').get()?.user_version;

function requireTables(database: DatabaseSync): void {
  const found = database.prepare("SELECT count(*) AS count FROM sqlite_schema WHERE type = 'table'").get()?.count;
  if (found !== TABLE_NAMES.length) throw new TilesDamaged('the file lacks a table');
}

function createTables(database: DatabaseSync): void {
  const drops = TABLE_NAMES.map((table) => `DROP TABLE IF EXISTS ${table};`);
  database.exec(`BEGIN IMMEDIATE; ${drops.join(' ')} ${TABLES} COMMIT`);
}

/** Tiles in a file, or in memory. */
export class SqliteTileStore implements TileStore {
  readonly #database: DatabaseSync;
  readonly #statements;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#statements = prepare(database);
  }

  size(): number {
    return this.#statements.size.get()?.size as number;
  }

  append(growth: TreeGrowth): void {
    if (growth.entries.length === 0) return;
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const size = this.size();
      if (size !== growth.from)
        throw new Error(`the tree has ${size} leaves, and not the ${growth.from} after which these follow`);
      this.#write(growth);
      this.#database.exec('COMMIT');
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  #write({ from, entries, fullTiles, upperTiles, edge }: TreeGrowth): void {
    const { putTile, putBundle, putRecent, dropRecent, dropTile, setSize } = this.#statements;
    const to = from + entries.length;
    const first = Math.floor(from / TILE_WIDTH) * TILE_WIDTH;
    let added = from;
    for (let bundle = first; bundle + TILE_WIDTH <= to; bundle += TILE_WIDTH) {
      const end = bundle + TILE_WIDTH;
      const fresh = encodeBundle(entries.slice(added - from, end - from));
      const whole = bundle < added ? Buffer.concat([...this.#recentEntries(), fresh]) : fresh;
      putBundle.run(bundle / TILE_WIDTH, zstdCompressSync(whole, COMPRESSION));
      dropRecent.run();
      added = end;
    }
    if (added < to) putRecent.run(added, encodeBundle(entries.slice(added - from)));
    for (const { index, hashes } of fullTiles) putTile.run(0, index, hashes);
    for (const { level, index, hashes } of upperTiles) putTile.run(level, index, hashes);
    const last = Math.floor(to / TILE_WIDTH);
    if (edge.length > 0) putTile.run(0, last, edge);
    else dropTile.run(0, last);
    setSize.run(to);
  }

  readTile(level: number, index: number): Buffer | undefined {
    return bufferOf(this.#statements.tile.get(level, index)?.hashes);
  }

  readBundle(index: number): Buffer | undefined {
    const full = bufferOf(this.#statements.bundle.get(index)?.entries);
    if (full) return zstdDecompressSync(full, DECOMPRESSION);
    const recent = this.#statements.recent
      .all()
      .filter(({ first }) => Math.floor((first as number) / TILE_WIDTH) === index);
    if (recent.length > 0) return Buffer.concat(recent.map(({ entries }) => entries as Uint8Array));
    // It may have become full between the two reads.
    const since = bufferOf(this.#statements.bundle.get(index)?.entries);
    return since && zstdDecompressSync(since, DECOMPRESSION);
  }

  #recentEntries(): Uint8Array[] {
    return this.#statements.recent.all().map(({ entries }) => entries as Uint8Array);
  }

  /** Watches the file for its only writer. @param path of the file */
  guard(path: string): FileGuard {
    return guardFile(this.#database, path);
  }

  clear(): void {
    createTables(this.#database);
  }

  close(): void {
    this.#database.close();
  }
}

const prepare = (database: DatabaseSync) => ({
  size: database.prepare('SELECT size FROM tree'),
  setSize: database.prepare('UPDATE tree SET size = ?'),
  tile: database.prepare('SELECT hashes FROM tiles WHERE level = ? AND tile = ?'),
  putTile: database.prepare(
    'INSERT INTO tiles VALUES (?, ?, ?) ON CONFLICT (level, tile) DO UPDATE SET hashes = excluded.hashes',
  ),
  dropTile: database.prepare('DELETE FROM tiles WHERE level = ? AND tile = ?'),
  bundle: database.prepare('SELECT entries FROM bundles WHERE bundle = ?'),
  putBundle: database.prepare('INSERT INTO bundles VALUES (?, ?)'),
  recent: database.prepare('SELECT first, entries FROM recent ORDER BY first'),
  putRecent: database.prepare('INSERT INTO recent VALUES (?, ?)'),
  dropRecent: database.prepare('DELETE FROM recent'),
});

const bufferOf = (blob: unknown): Buffer | undefined =>
  blob instanceof Uint8Array ? Buffer.from(blob.buffer, blob.byteOffset, blob.byteLength) : undefined;
