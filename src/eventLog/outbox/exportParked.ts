import type { DatabaseSync } from 'node:sqlite';
import { writeNewFile } from '../newFile.ts';
import { openForReading, openForWriting } from '../sqlite/database.ts';
import { canHaveParked, PARKED_COLUMNS } from '../sqlite/park.ts';

/**
 * Writes parked events to a new file, one line of JSON each, and syncs it.
 * @param file must not exist
 * @returns the positions of the events in the outbox
 * @throws CannotWriteFile, or the error of the file system or of SQLite; there is no file then
 */
export async function exportParked(path: string, file: string): Promise<number[]> {
  const database = openForReading(path);
  try {
    const positions: number[] = [];
    await writeNewFile(file, async (target) => {
      for (const { position, data, metadata, ...row } of parkedRows(database)) {
        positions.push(position);
        await target.appendFile(
          `${JSON.stringify({ ...row, data: JSON.parse(data), metadata: JSON.parse(metadata) })}\n`,
        );
      }
    });
    return positions;
  } finally {
    database.close();
  }
}

/** Takes parked events out of an outbox for good; nothing else may have the file open. */
export function removeParked(path: string, positions: readonly number[]): void {
  // An outbox that never parked an event has no table for them.
  if (positions.length === 0) return;
  const database = openForWriting({ path });
  try {
    database
      .prepare('DELETE FROM parked WHERE position IN (SELECT value FROM json_each(?))')
      .run(JSON.stringify(positions));
  } finally {
    database.close();
  }
}

interface ParkedRow {
  readonly position: number;
  readonly data: string;
  readonly metadata: string;
}

function* parkedRows(database: DatabaseSync): Generator<ParkedRow> {
  if (!canHaveParked(database)) return;
  for (const row of database.prepare(`SELECT ${PARKED_COLUMNS} FROM parked ORDER BY position`).iterate()) {
    yield row as unknown as ParkedRow;
  }
}
