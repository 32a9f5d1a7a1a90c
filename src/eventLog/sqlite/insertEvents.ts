import type { DatabaseSync } from 'node:sqlite';

/** The columns of a new row of `events`. SQLite assigns the position. */
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

/** With this many rows the cost of running a statement is small per row. */
const MAX_ROWS_PER_STATEMENT = 32;

/**
 * Prepares a function that inserts rows in order, many per statement: SQLite reads and writes the counter of positions
 * once per statement. If an id is already in use, SQLite rolls back the whole transaction (OR ROLLBACK): to undo only the
 * statement, it would have to write a copy of each changed page to a journal file.
 * @returns the position of the last row @throws the error of SQLite
 */
export function prepareInsertEvents(database: DatabaseSync): (rows: readonly EventRow[]) => number {
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
    for (let from = 0; from < rows.length; from += MAX_ROWS_PER_STATEMENT) {
      const some = rows.slice(from, from + MAX_ROWS_PER_STATEMENT);
      last = statementFor(some.length).run(...some.flat()).lastInsertRowid as number;
    }
    return last;
  };
}
