import { openForWriting } from './database.ts';

/**
 * Lets the next event follow the last one in the file: SQLite remembers the positions of deleted events at the end. Only for
 * a log whose loss an operator has accepted, because the positions then mean other events than before.
 */
export function continueAfterLastEvent(path: string): void {
  const database = openForWriting({ path });
  try {
    database.exec(
      "UPDATE sqlite_sequence SET seq = (SELECT coalesce(max(position), 0) FROM events) WHERE name = 'events'",
    );
  } finally {
    database.close();
  }
}
