import { existsSync } from 'node:fs';
import { openForReading } from './database.ts';

/** Whether a log's file has any event. @throws the error of SQLite for a file that is no database */
export function hasEvents(path: string): boolean {
  if (!existsSync(path)) return false;
  const database = openForReading(path);
  try {
    // A new file has no table yet.
    const hasTable = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'events'").get() !== undefined;
    return hasTable && database.prepare('SELECT 1 FROM events LIMIT 1').get() !== undefined;
  } finally {
    database.close();
  }
}
