import type { DatabaseSync } from 'node:sqlite';
import { ARCHIVE_STREAM, DayArchived } from '../../domain/archive/events.ts';
import { openForReading } from './database.ts';

/** The segments that are archived and were not restored, according to the log, by their number with their seals. */
export function sealsInLog(logPath: string): Map<number, string> {
  const database = openForReading(logPath);
  try {
    // A new file has no table yet.
    const hasTable = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'events'").get() !== undefined;
    return hasTable ? readSeals(database) : new Map();
  } finally {
    database.close();
  }
}

function readSeals(database: DatabaseSync): Map<number, string> {
  const seals = new Map<number, string>();
  const events = database.prepare('SELECT type, data FROM events WHERE stream = ? ORDER BY revision');
  for (const { type, data } of events.all(ARCHIVE_STREAM)) {
    const { segment, seal } = JSON.parse(data as string) as { segment: number; seal: string };
    if (type === DayArchived.type) seals.set(segment, seal);
    else seals.delete(segment);
  }
  return seals;
}
