import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';

/** Has the name of the machine in it. */
const WITHOUT_ROWS = 'bridge_ring_members';

/** The statements that make a database again: tables, rows, then indexes. */
export function dumpDatabase(path: string): string {
  using database = new DatabaseSync(path, { readOnly: true });
  const objects = database
    .prepare("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'")
    .all() as { type: string; name: string; sql: string }[];
  const tables = objects.filter(({ type }) => type === 'table');
  const others = objects.filter(({ type }) => type !== 'table');
  const rows = tables
    .filter(({ name }) => name !== WITHOUT_ROWS)
    .flatMap(({ name }) =>
      database
        .prepare(`SELECT * FROM "${name}"`)
        .all()
        .map((row) => `INSERT INTO "${name}" VALUES (${Object.values(row).map(literal).join(', ')});`),
    );
  const made = ({ sql }: { sql: string }) => `${sql.replaceAll(/\s+/g, ' ')};`;
  return `${['PRAGMA foreign_keys = OFF;', 'BEGIN;', ...tables.map(made), ...rows, ...others.map(made), 'COMMIT;'].join('\n')}\n`;
}

function literal(value: SQLOutputValue): string {
  if (value === null) return 'NULL';
  if (value instanceof Uint8Array) return `x'${Buffer.from(value).toString('hex')}'`;
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}
