import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { Position } from '../../domain/core/brands.ts';
import { BLOCK_SIZE, SEGMENT_SIZE } from './requestIdFragments.ts';
import { completeSegments, type RequestIdIndex } from './requestIdIndex.ts';
import { kindCondition, type RequestSelection } from './requestSelection.ts';

/** Ids are hexadecimal behind their first letters; shorter parts are in most of them somewhere. */
const HEX_FRAGMENT = /^[0-9a-f]{4,}$/;
/** So many matches are put in order; of more, the first pages are found by walking through all requests, the latest first. */
const MAX_SORTED_MATCHES = 30_000;
const MAX_SCANNED_OFFSET = 2_000;
/** Shorter texts are not in the index of messages. */
const MIN_INDEXED_LENGTH = 3;

interface Found {
  readonly positions: readonly number[];
  readonly total: number;
}

/** Rows that match: a statement's `FROM`, and the values that it is asked with one after the other. */
interface Matches {
  readonly from: string;
  readonly each: readonly (readonly SQLInputValue[])[];
}

interface IdSearch {
  /** In the index of ids. */
  readonly indexed: Matches;
  /** Among the rows that the index does not have yet. */
  readonly unindexed: Matches;
  /** The condition on a row. */
  readonly condition: string;
  readonly values: readonly string[];
}

/**
 * Requests whose id or error message holds the text, the latest first. Only what matches is looked at, and only in indexes:
 * beginnings of ids, parts of ids by the blocks that may hold them, parts of messages.
 * @param head how far the read models reach
 * @returns undefined when every id begins with the text, so that it is no condition at all
 */
export function searchRequests(
  database: DatabaseSync,
  requestIds: RequestIdIndex,
  wanted: RequestSelection,
  search: string,
  limit: number,
  offset: number,
  head: Position,
): Found | undefined {
  // Ids are minted in lower case.
  const id = search.toLowerCase();
  if (isPrefixOfAllIds(database, id, head)) return undefined;
  const ids = HEX_FRAGMENT.test(id) ? fragmentSearch(requestIds, id, head) : prefixSearch(id, head);
  const messages = JSON.stringify(messagesWith(database, search));
  const byMessage = {
    from: 'requests INDEXED BY requestsByMessage WHERE messageId IN (SELECT value FROM json_each(?))',
    each: [[messages]],
  };
  const conditions = `AND requestedAt >= ? AND requestedAt < ? ${kindCondition(wanted.kinds)}`;
  const values = [wanted.from, wanted.to, ...(wanted.kinds ? [wanted.kinds.bytes] : [])];

  const count = ({ from, each }: Matches): number => {
    const statement = database.prepare(`SELECT COUNT(*) AS count FROM ${from} ${conditions}`);
    return each.reduce((sum, own) => sum + (statement.get(...own, ...values)?.count as number), 0);
  };
  const all = ({ from, each }: Matches): [requestedAt: number, position: number][] => {
    const statement = database.prepare(`SELECT requestedAt, position FROM ${from} ${conditions}`);
    statement.setReturnArrays(true);
    return each.flatMap((own) => statement.all(...own, ...values) as unknown as [number, number][]);
  };

  const found = count(ids.indexed) + count(ids.unindexed);
  const both =
    found === 0 ? 0 : count({ from: `${byMessage.from} AND ${ids.condition}`, each: [[messages, ...ids.values]] });
  const total = found - both + count(byMessage);
  if (total > MAX_SORTED_MATCHES && offset + limit <= MAX_SCANNED_OFFSET) {
    const walk = database.prepare(
      `SELECT position FROM requests INDEXED BY requestsByTime
       WHERE (${ids.condition} OR messageId IN (SELECT value FROM json_each(?))) ${conditions}
       ORDER BY requestedAt DESC, position DESC LIMIT ? OFFSET ?`,
    );
    const rows = walk.all(...ids.values, messages, ...values, limit, offset);
    return { positions: rows.map(({ position }) => position as number), total };
  }
  const matches = [...all(ids.indexed), ...all(ids.unindexed), ...all(byMessage)].sort(latestFirst);
  const positions = both === 0 ? matches.map(at) : [...new Set(matches.map(at))];
  return { positions: positions.slice(offset, offset + limit), total };
}

const at = ([, position]: [number, number]): number => position;
const latestFirst = (a: [number, number], b: [number, number]): number => b[0] - a[0] || b[1] - a[1];

function prefixSearch(text: string, head: Position): IdSearch {
  const whole = completeSegments(head);
  const condition = '(requestId >= ? AND requestId < ?)';
  const values = [text, prefixEnd(text)];
  return {
    indexed: {
      from: `requestIds WHERE stretch = ? AND ${condition}`,
      each: Array.from({ length: whole }, (_, stretch) => [stretch, ...values]),
    },
    unindexed: {
      from: `requests NOT INDEXED WHERE position >= ? AND ${condition}`,
      each: [[whole * SEGMENT_SIZE, ...values]],
    },
    condition,
    values,
  };
}

function fragmentSearch({ fragments: parts }: RequestIdIndex, text: string, head: Position): IdSearch {
  const whole = completeSegments(head);
  const condition = 'instr(requestId, ?)';
  const blocks = Array.from({ length: whole }, (_, stretch) => parts.blocksWith(text, stretch)).flat();
  return {
    indexed: {
      from: `requests NOT INDEXED WHERE position >= ? AND position < ? AND ${condition}`,
      each: blocks.map((first) => [first, first + BLOCK_SIZE, text]),
    },
    unindexed: {
      from: `requests NOT INDEXED WHERE position >= ? AND ${condition}`,
      each: [[whole * SEGMENT_SIZE, text]],
    },
    condition,
    values: [text],
  };
}

function messagesWith(database: DatabaseSync, search: string): number[] {
  const isIndexed = [...search].length >= MIN_INDEXED_LENGTH;
  const rows = isIndexed
    ? database.prepare('SELECT rowid AS id FROM messageTexts WHERE messageTexts MATCH ?').all(phrase(search))
    : database.prepare("SELECT id FROM messages WHERE text LIKE ? ESCAPE '\\'").all(pattern(search));
  return rows.map(({ id }) => id as number);
}

/** A text as the index of texts takes it: neither words nor operators, whatever it holds. */
const phrase = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const pattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** Whether every id begins with the text. */
function isPrefixOfAllIds(database: DatabaseSync, text: string, head: Position): boolean {
  const range = [text, prefixEnd(text)];
  const other = database.prepare(
    `SELECT 1 FROM requestIds WHERE stretch = ?1 AND requestId < ?2
     UNION ALL SELECT 1 FROM requestIds WHERE stretch = ?1 AND requestId >= ?3 LIMIT 1`,
  );
  const whole = completeSegments(head);
  for (let stretch = 0; stretch < whole; stretch++) if (other.get(stretch, ...range)) return false;
  const open = database.prepare(
    'SELECT 1 FROM requests WHERE position >= ? AND NOT (requestId >= ? AND requestId < ?) LIMIT 1',
  );
  return open.get(whole * SEGMENT_SIZE, ...range) === undefined;
}

/** The first text behind all that begin with this one. */
const prefixEnd = (text: string) => `${text}\u{10FFFF}`;
