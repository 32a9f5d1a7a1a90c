import type { DatabaseSync } from 'node:sqlite';
import type { PositionRange } from '../archive/segment.ts';

/** A row of `events` with its position. */
export type PlacedRow = readonly [
  position: number,
  stream: string,
  revision: number,
  id: string,
  type: string,
  version: number,
  time: number,
  data: string,
  metadata: string,
];

/** Removes the rows at some positions, in one transaction. Those that are gone already do no harm. @throws the error of SQLite */
export function removeRows(database: DatabaseSync, ranges: readonly PositionRange[]): void {
  inTransaction(database, () => {
    const remove = database.prepare('DELETE FROM events WHERE position BETWEEN ? AND ?');
    for (const { first, last } of ranges) remove.run(first, last);
  });
}

/**
 * Puts rows back at their positions, in one transaction. Those that are there already do no harm.
 * @throws the error of SQLite, also when another event has the position, the id or the revision
 */
export function restoreRows(database: DatabaseSync, rows: readonly PlacedRow[]): void {
  inTransaction(database, () => {
    const idAt = database.prepare('SELECT id FROM events WHERE position = ?');
    const insert = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
    for (const row of rows) if (idAt.get(row[0])?.id !== row[3]) insert.run(...row);
  });
}

function inTransaction(database: DatabaseSync, work: () => void): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    work();
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
