import type { DatabaseSync } from 'node:sqlite';
import type { BackupRecord, CopiedDatabase, StoredValue } from '../format/manifest.ts';

/** The rows of all tables of a database, in an order in which they can be inserted again. */
export function* tableRows(database: DatabaseSync, of: CopiedDatabase): Generator<BackupRecord> {
  const tables = database
    .prepare(
      "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'",
    )
    .all() as { name: string; wr: number }[];
  for (const { name, wr } of tables) {
    const columns = columnsOf(database, name);
    yield { table: name, of, columns };
    // The vault and others take the row that was inserted last for the newest.
    const order = wr === 0 ? ' ORDER BY rowid' : '';
    const rows = database.prepare(`SELECT ${columns.map(quoted).join(', ')} FROM ${quoted(name)}${order}`);
    rows.setReturnArrays(true);
    for (const row of rows.iterate()) yield (row as unknown as SqlValue[]).map(toStored);
  }
}

export const columnsOf = (database: DatabaseSync, table: string): string[] =>
  database
    .prepare('SELECT name FROM pragma_table_info(?) ORDER BY cid')
    .all(table)
    .map(({ name }) => name as string);

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

type SqlValue = null | number | string | Uint8Array;

const toStored = (value: SqlValue): StoredValue =>
  value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value;
