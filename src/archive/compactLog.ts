import { statSync } from 'node:fs';
import { openForWriting } from '../eventLog/sqlite/database.ts';

/**
 * Gives the space of removed rows back to the file system. Rows keep their positions. Needs as much free space as the rows that
 * remain, and no other process may use the file.
 * @returns the size of the file in bytes
 * @throws the error of SQLite, e.g. when the disk is full; the log is then as before
 */
export function compactLog(path: string): { readonly before: number; readonly after: number } {
  const before = statSync(path).size;
  const database = openForWriting({ path });
  try {
    database.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    database.close();
  }
  return { before, after: statSync(path).size };
}
