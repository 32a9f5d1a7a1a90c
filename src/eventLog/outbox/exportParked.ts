import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { openForReading, openForWriting } from '../sqlite/database.ts';
import { canHaveParked, PARKED_COLUMNS } from '../sqlite/park.ts';

/**
 * Writes parked events to a new file, one line of JSON each, and syncs it.
 * @param file must not exist
 * @returns the positions of the events in the outbox
 * @throws the error of the file system or of SQLite; there is no file then
 */
export function exportParked(path: string, file: string): number[] {
  const database = openForReading(path);
  const target = openSync(file, 'wx', 0o600);
  try {
    const positions: number[] = [];
    for (const { position, data, metadata, ...row } of parkedRows(database)) {
      positions.push(position);
      writeSync(target, `${JSON.stringify({ ...row, data: JSON.parse(data), metadata: JSON.parse(metadata) })}\n`);
    }
    fsyncSync(target);
    return positions;
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  } finally {
    closeSync(target);
    database.close();
  }
}

/** Takes parked events out of an outbox for good; nothing else may have the file open. */
export function removeParked(path: string, positions: readonly number[]): void {
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
