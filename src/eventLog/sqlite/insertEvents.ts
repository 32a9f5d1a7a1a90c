import type { DatabaseSync } from 'node:sqlite';

/** What stands in a new row of `events`; its position is given by SQLite. */
export type EventRow = readonly [
  stream: string,
  revision: number,
  id: string,
  type: string,
  version: number,
  time: number,
  data: string,
  metadata: string,
];

/** With so many rows the cost of running a statement is a small part of each. */
const MAX_ROWS = 32;

/**
 * Writes rows in their order. Many rows are one statement: the counter of positions is read and written once a statement.
 * When an id is taken, the whole transaction has been rolled back: taking less back would need a copy of each page that
 * it changes, which SQLite keeps in a file of its own.
 * @returns the position of the last row @throws the error of SQLite
 */
export function insertEvents(database: DatabaseSync): (rows: readonly EventRow[]) => number {
  const statements: ReturnType<DatabaseSync['prepare']>[] = [];
  const statementFor = (rows: number) => {
    statements[rows] ??= database.prepare(
      `INSERT OR ROLLBACK INTO events (stream, revision, id, type, version, time, data, metadata)
       VALUES ${Array(rows).fill('(?, ?, ?, ?, ?, ?, ?, ?)').join(', ')}`,
    );
    return statements[rows];
  };
  return (rows) => {
    let last = 0;
    for (let from = 0; from < rows.length; from += MAX_ROWS) {
      const some = rows.slice(from, from + MAX_ROWS);
      last = statementFor(some.length).run(...some.flat()).lastInsertRowid as number;
    }
    return last;
  };
}
