import { existsSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { damagedFile, openDatabase } from '../../dataFolder/openDatabase.ts';
import type { Position } from '../../domain/core/brands.ts';

/** Must be raised with every change of tables or indexes. */
export const LAYOUT = 20;

// One row: all read models of the file reach the same position.
const PROGRESS = `
  CREATE TABLE IF NOT EXISTS progress (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    version TEXT NOT NULL,
    position INTEGER NOT NULL,
    eventId TEXT
  ) STRICT`;

/**
 * Opens the file of the read models. All of it can be rebuilt from the log, so a damaged file is removed, and transactions do
 * not wait for the disk (docs/decisions/0014-disposable-read-models.md).
 * @param onDamage called when the file is damaged and therefore removed
 * @throws the error of SQLite; one about damage names the file
 */
export function openReadModelFile(path: string, onDamage: () => void = () => undefined): DatabaseSync {
  const opened = openUndamaged(path, onDamage);
  if (opened) return opened;
  removeReadModelFile(path);
  const fresh = open(path);
  prepare(fresh);
  return fresh;
}

/** @returns undefined for a file that is damaged or has another layout */
function openUndamaged(path: string, onDamage: () => void): DatabaseSync | undefined {
  // SQLite takes an empty file for a new one.
  if (statSync(path, { throwIfNoEntry: false })?.size === 0 && !existsSync(`${path}-wal`)) onDamage();
  try {
    const database = open(path);
    if (isCurrent(database)) return database;
    database.close();
  } catch (error) {
    if (!damagedFile(error)) throw error;
    onDamage();
  }
  return undefined;
}

/**
 * Makes a file that this process alone reads and then removes: without a journal, and without waiting for the disk.
 * @throws the error of SQLite
 */
export function makeTemporaryFile(path: string): DatabaseSync {
  removeReadModelFile(path);
  const database = openDatabase(path);
  database.exec(`
    PRAGMA page_size = 16384;
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA cache_size = -65536;
  `);
  prepare(database);
  return database;
}

function isCurrent(database: DatabaseSync): boolean {
  const layout = database.prepare('PRAGMA user_version').get()?.user_version;
  if (layout !== 0) return layout === LAYOUT;
  const isEmpty = database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
  if (isEmpty) prepare(database);
  return isEmpty;
}

const prepare = (database: DatabaseSync) => database.exec(`${PROGRESS}; PRAGMA user_version = ${LAYOUT}`);

/** Opens a file that is in use for reading by another connection. @throws the error of SQLite */
export function openForReading(path: string): DatabaseSync {
  const database = openDatabase(path, { timeout: 5_000, readOnly: true });
  database.exec('PRAGMA cache_size = -16384');
  return database;
}

/**
 * The last event that a file's read models include, whatever version built them.
 * @returns undefined for a file that is missing, empty or cannot be read
 */
export function readReadModelEnd(path: string): { readonly position: Position; readonly id: string } | undefined {
  if (!existsSync(path)) return undefined;
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true });
    const row = database.prepare('SELECT position, eventId AS id FROM progress WHERE eventId IS NOT NULL').get();
    return row && { position: row.position as Position, id: row.id as string };
  } catch {
    return undefined;
  } finally {
    database?.close();
  }
}

/** Removes the file with its write-ahead log, if they exist. */
export function removeReadModelFile(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
}

function open(path: string): DatabaseSync {
  const database = openDatabase(path, { timeout: 5_000 });
  try {
    database.exec(`
      PRAGMA page_size = 16384;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      PRAGMA cache_size = -32768;
      PRAGMA wal_autocheckpoint = 1000;
    `);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
