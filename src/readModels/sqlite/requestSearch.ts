import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { Position } from '../../domain/brands.ts';
import { STRETCH, wholeStretches } from './requestIds.ts';
import { kindCondition, type Wanted } from './requestLogReader.ts';

/** Ids are hexadecimal behind their first letters; shorter parts are in most of them somewhere. */
const PART_OF_ID = /^[0-9a-f]{4,}$/;

interface Found {
  readonly positions: readonly number[];
  readonly total: number;
}

/**
 * Requests whose id or error message holds the text, the latest first. Only ids and texts are looked at, never rows:
 * beginnings of ids through their index, other parts along it, and texts once each.
 * @param head how far the read models reach
 * @returns undefined when every id begins with the text, so that it is no condition at all
 */
export function searchRequests(
  database: DatabaseSync,
  wanted: Wanted,
  search: string,
  limit: number,
  offset: number,
  head: Position,
): Found | undefined {
  const whole = wholeStretches(head);
  const stretches = Array.from({ length: whole }, (_, stretch) => stretch);
  const openFrom = whole * STRETCH;
  // Ids are minted in lower case.
  const id = search.toLowerCase();
  if (isSharedByAll(database, stretches, openFrom, id)) return undefined;
  const text = `%${search.replace(/[\\%_]/g, '\\$&')}%`;
  const bytes = wanted.kinds ? [wanted.kinds.bytes] : [];
  const conditions = `AND requestedAt >= ? AND requestedAt < ? ${kindCondition(wanted.kinds)}`;
  const values: SQLInputValue[] = [wanted.from, wanted.to, ...bytes];
  const isPart = PART_OF_ID.test(id);
  const byId = isPart ? 'instr(requestId, ?)' : 'requestId >= ? AND requestId < ?';
  const idValues = isPart ? [id] : [id, behind(id)];
  database.exec(
    'CREATE TEMP TABLE IF NOT EXISTS found (requestedAt INTEGER, position INTEGER, PRIMARY KEY (requestedAt, position)) WITHOUT ROWID; DELETE FROM found',
  );
  database
    .prepare(
      `INSERT INTO found SELECT requestedAt, position FROM requestIds
       WHERE stretch IN (SELECT value FROM json_each(?)) AND ${byId} ${conditions}
       UNION ALL SELECT requestedAt, position FROM requests WHERE position >= ? AND ${byId} ${conditions}`,
    )
    .run(JSON.stringify(stretches), ...idValues, ...values, openFrom, ...idValues, ...values);
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

/** Whether every id begins with the text. */
function isSharedByAll(database: DatabaseSync, stretches: readonly number[], openFrom: number, text: string): boolean {
  const range = [text, behind(text)];
  const other = database.prepare(
    `SELECT 1 FROM requestIds WHERE stretch = ?1 AND requestId < ?2
     UNION ALL SELECT 1 FROM requestIds WHERE stretch = ?1 AND requestId >= ?3 LIMIT 1`,
  );
  if (stretches.some((stretch) => other.get(stretch, ...range))) return false;
  const open = database.prepare(
    'SELECT 1 FROM requests WHERE position >= ? AND NOT (requestId >= ? AND requestId < ?) LIMIT 1',
  );
  return open.get(openFrom, ...range) === undefined;
}

/** The first text behind all that begin with this one. */
const behind = (text: string) => `${text}\u{10FFFF}`;
