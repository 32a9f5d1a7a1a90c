import { existsSync } from 'node:fs';
import { isFileError } from '../../dataFolder/fileErrors.ts';
import { damagedFile } from '../../dataFolder/openDatabase.ts';
import { openForReading } from './database.ts';

/**
 * Whether a log's file has any event; true for one that cannot be opened, which is reported by whatever opens it for writing.
 * @throws the error of SQLite for a file that is no database
 */
export function hasEvents(path: string): boolean {
  if (!existsSync(path)) return false;
  try {
    return readHasEvents(path);
  } catch (error) {
    if (damagedFile(error) !== undefined || !isFileError(error)) throw error;
    return true;
  }
}

function readHasEvents(path: string): boolean {
  const database = openForReading(path);
  try {
    // A new file has no table yet.
    const hasTable = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'events'").get() !== undefined;
    return hasTable && database.prepare('SELECT 1 FROM events LIMIT 1').get() !== undefined;
  } finally {
    database.close();
  }
}
