import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { isFileError, remedyFor } from '../dataFolder/fileErrors.ts';
import { DataFolderInUse, isBusy } from '../dataFolder/folderLock.ts';
import { namesFile, openDatabase, REMEDY_TO_OPEN } from '../dataFolder/openDatabase.ts';
import type { WrappedKey, WrappedKeys } from './envelope.ts';

// A truncated journal is synced, so a destroyed key does not return after a power cut; a write-ahead log would keep its old
// page. Deleted data is overwritten, and every commit is synced (2 is FULL). The file is locked as long as it is open, which
// keeps a second process out of the folder even when `lock.sqlite` was deleted.
const SETTINGS = { locking_mode: 'exclusive', journal_mode: 'truncate', synchronous: 2, secure_delete: 1 };

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS installation (name TEXT PRIMARY KEY, wrapped BLOB NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS keys (id TEXT PRIMARY KEY, subject TEXT NOT NULL, wrapped BLOB NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS keys_subject ON keys (subject);
`;

export const INSTALLATION = 'installation';

/**
 * Opens or creates the file of the embedded vault, and locks it until it is closed.
 * @throws DataFolderInUse | Error that says why it cannot be used and what to do
 */
export function openVaultFile(path: string): DatabaseSync {
  try {
    return openFile(path);
  } catch (error) {
    if (isBusy(error)) throw new DataFolderInUse(dirname(path));
    if (!isFileError(error) || namesFile(error)) throw error;
    const advice = remedyFor(error, REMEDY_TO_OPEN);
    throw new Error(`${path} cannot be opened: ${(error as Error).message}. ${advice}`, { cause: error });
  }
}

function openFile(path: string): DatabaseSync {
  const database = openDatabase(path, { timeout: 5_000 });
  try {
    for (const [name, value] of Object.entries(SETTINGS)) {
      database.exec(`PRAGMA ${name} = ${value}`);
      const [actual] = Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {});
      if (actual !== value) throw new Error(`${path}: SQLite keeps ${name} = ${actual}, but the vault needs ${value}`);
    }
    database.exec(`BEGIN EXCLUSIVE; ${SCHEMA} COMMIT`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Reads all keys in the file; none when the file does not exist. @throws Error when the file cannot be used */
export function readWrappedKeys(path: string): WrappedKeys {
  if (!existsSync(path)) return { installation: undefined, keys: [] };
  const database = openVaultFile(path);
  try {
    const row = database.prepare('SELECT wrapped FROM installation WHERE name = ?').get(INSTALLATION);
    const keys = database.prepare('SELECT id, subject, wrapped FROM keys ORDER BY id').all() as unknown as WrappedKey[];
    return { installation: row?.wrapped as Uint8Array | undefined, keys: keys.map((key) => ({ ...key })) };
  } finally {
    database.close();
  }
}

/** Adds keys to the file and keeps existing ones. @throws Error when the file cannot be used */
export function writeWrappedKeys(path: string, installation: Uint8Array, keys: readonly WrappedKey[]): void {
  const database = openVaultFile(path);
  try {
    database.exec('BEGIN IMMEDIATE');
    database
      .prepare('INSERT OR IGNORE INTO installation (name, wrapped) VALUES (?, ?)')
      .run(INSTALLATION, installation);
    const insert = database.prepare('INSERT OR IGNORE INTO keys (id, subject, wrapped) VALUES (?, ?, ?)');
    for (const { id, subject, wrapped } of keys) insert.run(id, subject, wrapped);
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}
