import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** SQLite's codes for a file that holds no usable database (sqlite.org/rescode.html). */
const DAMAGED: ReadonlySet<number> = new Set([11, 26]);

const PROGRESS = `
  CREATE TABLE IF NOT EXISTS progress (
    projection TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    position INTEGER NOT NULL,
    eventId TEXT,
    documents INTEGER NOT NULL
  ) STRICT`;

/**
 * Opens the file of the read models. All of it can be made again from the log, so a damaged file is thrown away, and
 * nothing waits for the disk more often than every few thousand pages.
 */
export function openReadModelFile(path: string): DatabaseSync {
  try {
    return open(path);
  } catch (error) {
    if (!isDamaged(error)) throw error;
    removeReadModelFile(path);
    return open(path);
  }
}

export const isDamaged = (error: unknown): boolean =>
  DAMAGED.has(((error as { errcode?: number }).errcode ?? 0) & 0xff);

export function removeReadModelFile(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
}

function open(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  try {
    database.exec(`
      PRAGMA page_size = 16384;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      PRAGMA cache_size = -32768;
      PRAGMA wal_autocheckpoint = 1000;
      ${PROGRESS}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
