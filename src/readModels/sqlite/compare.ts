import type { DatabaseSync } from 'node:sqlite';
import type { ComparedTable } from './comparedTable.ts';
import type { SameRows } from './compareInSqlite.ts';
import type { TableComparison } from './tableComparison.ts';

export type Cell = string | number | null;
export type Row = readonly Cell[];

export const MAX_DIFFERENCES = 10;
/** In characters. */
const MAX_VALUE_LENGTH = 300;

/**
 * Compares all rows of all tables. Both files are read once, in key order.
 * @param same compares within SQLite first, so that only the tables that differ are read
 * @param compared the tables that were compared while they were made
 */
export function compareReadModelFiles(
  live: DatabaseSync,
  fresh: DatabaseSync,
  same?: SameRows,
  compared: ReadonlyMap<string, TableComparison> = new Map(),
): { rows: number; differences: string[] } {
  const differences: string[] = [];
  let rows = 0;
  const [liveTables, tables] = [tablesOf(live), tablesOf(fresh)];
  for (const table of tables) {
    const other = liveTables.find(({ name }) => name === table.name);
    if (JSON.stringify(other) !== JSON.stringify(table)) {
      differences.push(`${table.name}: the live table ${other ? 'has other columns' : 'is missing'}`);
      continue;
    }
    const made = compared.get(table.name);
    if (made) {
      rows += made.rows;
      differences.push(...made.differences);
      if (differences.length >= MAX_DIFFERENCES) return { rows, differences: differences.slice(0, MAX_DIFFERENCES) };
      continue;
    }
    const count = same?.count(table);
    if (count !== undefined) {
      rows += count;
      continue;
    }
    for (const [left, right] of pairs(table, readRows(live, table), readRows(fresh, table))) {
      rows++;
      const difference = describeDifference(table, left, right);
      if (difference) differences.push(difference);
      if (differences.length >= MAX_DIFFERENCES) return { rows, differences };
    }
  }
  return { rows, differences };
}

/** The tables to compare: those of the schema, and the terms of each text index. */
export function tablesOf(database: DatabaseSync): ComparedTable[] {
  const tables = database
    .prepare(
      `SELECT name, type FROM pragma_table_list
       WHERE schema = 'main' AND type IN ('table', 'virtual') AND name <> 'sqlite_schema' ORDER BY name`,
    )
    .all() as { name: string; type: string }[];
  return tables.map(({ name, type }) => (type === 'virtual' ? termsOf(database, name) : tableOf(database, name)));
}

export function tableOf(database: DatabaseSync, name: string): ComparedTable {
  const columns = database.prepare('SELECT name, type, pk FROM pragma_table_info(?)').all(name) as {
    name: string;
    type: string;
    pk: number;
  }[];
  const key = columns.map(({ pk }, index) => ({ pk, index })).filter(({ pk }) => pk > 0);
  return {
    name,
    columns: columns.map((column) => column.name),
    selected: columns.map((column) => (column.type === 'BLOB' ? `hex(${column.name})` : column.name)),
    key: key.sort((a, b) => a.pk - b.pk).map(({ index }) => index),
  };
}

/** The terms of a text index. Its own tables cannot be compared, because they depend on the order of inserts. */
function termsOf(database: DatabaseSync, index: string): ComparedTable {
  const name = `${index}Terms`;
  database.exec(`CREATE VIRTUAL TABLE temp.${name} USING fts5vocab(main, ${index}, instance)`);
  const columns = ['term', 'doc', 'offset'];
  return { name, columns, selected: columns, key: [0, 1, 2], indexed: index };
}

/** The rows of a table in key order. */
export function readRows(database: DatabaseSync, { name, columns, selected, key }: ComparedTable): Iterator<Row> {
  const order = key.map((index) => columns[index]).join(', ');
  const statement = database.prepare(`SELECT ${selected.join(', ')} FROM ${name} ORDER BY ${order}`);
  statement.setReturnArrays(true);
  return statement.iterate() as unknown as Iterator<Row>;
}

/** Pairs rows of the same key; the other side is undefined where a row is missing. */
function* pairs(
  table: ComparedTable,
  left: Iterator<Row>,
  right: Iterator<Row>,
): Generator<[Row | undefined, Row | undefined]> {
  let [a, b] = [left.next(), right.next()];
  while (!a.done || !b.done) {
    const order = a.done ? 1 : b.done ? -1 : compareKeys(table, a.value, b.value);
    yield [order <= 0 ? a.value : undefined, order >= 0 ? b.value : undefined];
    if (order <= 0) a = left.next();
    if (order >= 0) b = right.next();
  }
}

function compareKeys({ key }: ComparedTable, left: Row, right: Row): number {
  for (const index of key) {
    const [a, b] = [left[index] ?? '', right[index] ?? ''];
    if (a !== b) return a < b ? -1 : 1;
  }
  return 0;
}

/** What differs in a row, in one line; undefined when nothing does. */
export function describeDifference(
  table: ComparedTable,
  live: Row | undefined,
  fresh: Row | undefined,
): string | undefined {
  const row = live ?? fresh;
  const label = () => `${table.name} ${table.key.map((index) => `${table.columns[index]}=${row?.[index]}`).join(' ')}`;
  if (!fresh) return `${label()}: is only in the live read models`;
  if (!live) return `${label()}: is missing from the live read models`;
  for (let index = 0; index < live.length; index++) {
    if (live[index] === fresh[index]) continue;
    const shown = (cell: Cell | undefined) => JSON.stringify(cell)?.slice(0, MAX_VALUE_LENGTH);
    return `${label()}: ${table.columns[index]} is ${shown(live[index])} in the live read models, ${shown(fresh[index])} rebuilt`;
  }
  return undefined;
}
