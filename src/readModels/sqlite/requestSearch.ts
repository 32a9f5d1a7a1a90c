import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { kindCondition, type Wanted } from './requestLogReader.ts';
import { STRETCH } from './requestTable.ts';

/** Ids are hexadecimal behind their first letters; shorter parts are in most of them somewhere. */
const PART_OF_ID = /^[0-9a-f]{4,}$/i;

interface Found {
  readonly positions: readonly number[];
  readonly total: number;
}

/**
 * Requests whose id or error message holds the text, the latest first. Only ids and texts are looked at, never rows:
 * beginnings of ids through their index, other parts along it, and texts once each.
 * @returns undefined when every id begins with the text, so that it is no condition at all
 */
export function searchRequests(
  database: DatabaseSync,
  wanted: Wanted,
  search: string,
  limit: number,
  offset: number,
): Found | undefined {
  const stretches = stretchesOf(database);
  if (stretches.every((stretch) => isSharedBy(database, stretch, search))) return undefined;
  const text = `%${search.replace(/[\\%_]/g, '\\$&')}%`;
  const bytes = wanted.kinds ? [wanted.kinds.bytes] : [];
  const conditions = `AND requestedAt >= ? AND requestedAt < ? ${kindCondition(wanted.kinds)}`;
  const values: SQLInputValue[] = [wanted.from, wanted.to, ...bytes];
  const isPart = PART_OF_ID.test(search);
  const byId = isPart
    ? 'instr(requestId, ?)'
    : `position / ${STRETCH} IN (SELECT value FROM json_each(?)) AND requestId >= ? AND requestId < ?`;
  const idValues = isPart ? [search.toLowerCase()] : [JSON.stringify(stretches), search, behind(search)];
  database.exec(
    'CREATE TEMP TABLE IF NOT EXISTS found (requestedAt INTEGER, position INTEGER, PRIMARY KEY (requestedAt, position)) WITHOUT ROWID; DELETE FROM found',
  );
  database
    .prepare(
      `INSERT INTO found SELECT requestedAt, position FROM requests INDEXED BY requestsById WHERE ${byId} ${conditions}`,
    )
    .run(...idValues, ...values);
  database
    .prepare(
      `INSERT OR IGNORE INTO found SELECT requestedAt, position FROM requests INDEXED BY requestsByMessage
       WHERE messageId IN (SELECT id FROM messages WHERE text LIKE ? ESCAPE '\\') ${conditions}`,
    )
    .run(text, ...values);
  const total = database.prepare('SELECT COUNT(*) AS count FROM found').get()?.count as number;
  const rows = database
    .prepare('SELECT position FROM found ORDER BY requestedAt DESC, position DESC LIMIT ? OFFSET ?')
    .all(limit, offset);
  return { positions: rows.map(({ position }) => position as number), total };
}

function stretchesOf(database: DatabaseSync): number[] {
  const last = database.prepare('SELECT MAX(position) AS last FROM requests').get()?.last as number | null;
  return last === null ? [] : Array.from({ length: Math.floor(last / STRETCH) + 1 }, (_, index) => index);
}

/** Whether every id of the stretch begins with the text. */
function isSharedBy(database: DatabaseSync, stretch: number, text: string): boolean {
  const another = database
    .prepare(
      `SELECT 1 FROM requests INDEXED BY requestsById WHERE position / ${STRETCH} = ? AND requestId < ?
       UNION ALL
       SELECT 1 FROM requests INDEXED BY requestsById WHERE position / ${STRETCH} = ? AND requestId >= ?
       LIMIT 1`,
    )
    .get(stretch, text, stretch, behind(text));
  return another === undefined;
}

/** The first text behind all that begin with this one. */
const behind = (text: string) => `${text}\u{10FFFF}`;
