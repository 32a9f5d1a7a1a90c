import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { Position } from '../../domain/core/brands.ts';
import { BLOCK_SIZE, SEGMENT_SIZE } from './requestIdFragments.ts';
import { completeSegments, type RequestIdIndex } from './requestIdIndex.ts';
import { type RequestSelection, rowCondition } from './requestSelection.ts';

/** Ids are hexadecimal after their prefix. Most ids contain any shorter text. */
const HEX_FRAGMENT = /^[0-9a-f]{4,}$/;
/** Above this number of matches, the first pages are found by scanning all requests from the latest, without sorting. */
const MAX_SORTED_MATCHES = 30_000;
const MAX_SCANNED_OFFSET = 2_000;
/** `req_` and eight digits: of ids that begin with their time, those of 66 seconds. */
const MIN_LENGTH_OF_FEW = 12;
/** The trigram index of messages cannot find shorter texts. */
const MIN_INDEXED_LENGTH = 3;

interface Found {
  readonly positions: readonly number[];
  readonly total: number;
}

/** Matching rows: the `FROM` of a statement with its first table, and the parameters of each of its runs. */
interface Matches {
  readonly table: 'requests' | 'requestIds';
  readonly from: string;
  readonly each: readonly (readonly SQLInputValue[])[];
}

interface IdSearch {
  /** Matches in the index of ids. */
  readonly indexed: Matches;
  /** Matches among the rows that are not indexed yet. */
  readonly unindexed: Matches;
  /** SQL condition on a row. */
  readonly condition: string;
  readonly values: readonly string[];
}

/**
 * Requests whose id or error message contains the text, latest first. Only indexes are read: prefixes of ids, parts of ids by
 * the blocks that may contain them, and parts of messages.
 * @param head position that the read models reach
 * @returns undefined when every id begins with the text, which then is no condition
 */
export function searchRequests(
  database: DatabaseSync,
  requestIds: RequestIdIndex,
  selection: RequestSelection,
  search: string,
  limit: number,
  offset: number,
  head: Position,
): Found | undefined {
  // Ids are generated in lower case.
  const id = search.toLowerCase();
  if (isPrefixOfAllIds(database, id, head)) return undefined;
  const ids = HEX_FRAGMENT.test(id) ? fragmentSearch(requestIds, id, head) : prefixSearch(requestIds, id, head);
  const messages = JSON.stringify(messagesWith(database, search));
  const byMessage: Matches = {
    table: 'requests',
    from: 'requests INDEXED BY requestsByMessage WHERE messageId IN (SELECT value FROM json_each(?))',
    each: [[messages]],
  };
  const conditionsOn = (table: string) => {
    const { sql, values } = rowCondition(selection, table);
    return {
      conditions: `AND requestedAt >= ? AND requestedAt < ? ${sql}`,
      values: [selection.from, selection.to, ...values],
    };
  };

  const count = ({ table, from, each }: Matches): number => {
    const { conditions, values } = conditionsOn(table);
    const statement = database.prepare(`SELECT COUNT(*) AS count FROM ${from} ${conditions}`);
    return each.reduce((sum, own) => sum + (statement.get(...own, ...values)?.count as number), 0);
  };
  const all = ({ table, from, each }: Matches): [requestedAt: number, position: number][] => {
    const { conditions, values } = conditionsOn(table);
    const statement = database.prepare(`SELECT requestedAt, position FROM ${from} ${conditions}`);
    statement.setReturnArrays(true);
    return each.flatMap((own) => statement.all(...own, ...values) as unknown as [number, number][]);
  };

  // Of so long a text there are so few that counting them first takes longer than reading them.
  const few = id.length >= MIN_LENGTH_OF_FEW ? [...all(ids.indexed), ...all(ids.unindexed)] : undefined;
  const found = few?.length ?? count(ids.indexed) + count(ids.unindexed);
  const both =
    found === 0
      ? 0
      : count({ ...byMessage, from: `${byMessage.from} AND ${ids.condition}`, each: [[messages, ...ids.values]] });
  const total = found - both + count(byMessage);
  if (total > MAX_SORTED_MATCHES && offset + limit <= MAX_SCANNED_OFFSET) {
    const { conditions, values } = conditionsOn('requests');
    const walk = database.prepare(
      `SELECT position FROM requests INDEXED BY requestsByTime
       WHERE (${ids.condition} OR messageId IN (SELECT value FROM json_each(?))) ${conditions}
       ORDER BY requestedAt DESC, position DESC LIMIT ? OFFSET ?`,
    );
    const rows = walk.all(...ids.values, messages, ...values, limit, offset);
    return { positions: rows.map(({ position }) => position as number), total };
  }
  const matches = [...(few ?? [...all(ids.indexed), ...all(ids.unindexed)]), ...all(byMessage)].sort(latestFirst);
  const positions = both === 0 ? matches.map(at) : [...new Set(matches.map(at))];
  return { positions: positions.slice(offset, offset + limit), total };
}

const at = ([, position]: [number, number]): number => position;
const latestFirst = (a: [number, number], b: [number, number]): number => b[0] - a[0] || b[1] - a[1];

function prefixSearch({ fragments }: RequestIdIndex, text: string, head: Position): IdSearch {
  const complete = completeSegments(head);
  const condition = '(requestId >= ? AND requestId < ?)';
  const values = [text, prefixEnd(text)];
  return {
    indexed: {
      table: 'requestIds',
      from: `requestIds WHERE stretch = ? AND ${condition}`,
      each: fragments.segmentsWith(text, complete).map((segment) => [segment, ...values]),
    },
    unindexed: {
      table: 'requests',
      from: `requests NOT INDEXED WHERE position >= ? AND ${condition}`,
      each: [[complete * SEGMENT_SIZE, ...values]],
    },
    condition,
    values,
  };
}

function fragmentSearch({ fragments }: RequestIdIndex, text: string, head: Position): IdSearch {
  const complete = completeSegments(head);
  const condition = 'instr(requestId, ?)';
  const blocks = fragments.blocksWith(text, complete);
  return {
    indexed: {
      table: 'requests',
      from: `requests NOT INDEXED WHERE position >= ? AND position < ? AND ${condition}`,
      each: blocks.map((first) => [first, first + BLOCK_SIZE, text]),
    },
    unindexed: {
      table: 'requests',
      from: `requests NOT INDEXED WHERE position >= ? AND ${condition}`,
      each: [[complete * SEGMENT_SIZE, text]],
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

/** Quotes a text for the text index, so that nothing in it is an operator. */
const phrase = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const pattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

function isPrefixOfAllIds(database: DatabaseSync, text: string, head: Position): boolean {
  const range = [text, prefixEnd(text)];
  const other = database.prepare(
    `SELECT 1 FROM requestIds WHERE stretch = ?1 AND requestId < ?2
     UNION ALL SELECT 1 FROM requestIds WHERE stretch = ?1 AND requestId >= ?3 LIMIT 1`,
  );
  const complete = completeSegments(head);
  for (let segment = 0; segment < complete; segment++) if (other.get(segment, ...range)) return false;
  const unindexed = database.prepare(
    'SELECT 1 FROM requests WHERE position >= ? AND NOT (requestId >= ? AND requestId < ?) LIMIT 1',
  );
  return unindexed.get(complete * SEGMENT_SIZE, ...range) === undefined;
}

/** Exclusive end of the range of texts that begin with this one. */
const prefixEnd = (text: string) => `${text}\u{10FFFF}`;
