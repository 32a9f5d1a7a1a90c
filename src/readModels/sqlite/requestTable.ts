import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { RequestLogRow } from '../../../projections/requestLog.ts';
import type { RequestLogFilter } from '../requestLogQueries.ts';

/** Column by field: the one list from which table, insert and select derive. */
const COLUMNS = {
  position: 'INTEGER PRIMARY KEY',
  requestId: 'TEXT NOT NULL',
  requestedAt: 'INTEGER NOT NULL',
  accountId: 'TEXT',
  apiKeyId: 'TEXT',
  route: 'TEXT NOT NULL',
  model: 'TEXT NOT NULL',
  effort: 'TEXT',
  status: 'TEXT NOT NULL',
  errorCode: 'TEXT',
  errorMessage: 'TEXT',
  inputTokens: 'INTEGER',
  outputTokens: 'INTEGER',
  cachedInputTokens: 'INTEGER',
  reasoningTokens: 'INTEGER',
  costMicroDollars: 'INTEGER',
  latencyMs: 'INTEGER NOT NULL',
  firstByteMs: 'INTEGER',
  attempts: 'INTEGER NOT NULL',
} as const satisfies Record<keyof RequestLogRow, string>;

const NAMES = Object.keys(COLUMNS) as (keyof RequestLogRow)[];

/**
 * The row id is the position, so that "newest first" walks the table backwards without sorting. The request id has no
 * index: ids are random, and keeping them in order would cost more than all the rest.
 */
export function createRequestTable(database: DatabaseSync): void {
  const columns = Object.entries(COLUMNS).map(([name, type]) => `${name} ${type}`);
  database.exec(`
    CREATE TABLE requests (${columns.join(', ')}) STRICT;
    CREATE INDEX requestsByTime ON requests (requestedAt);
  `);
}

/** @returns a function that adds a row and says how many rows that made: none when the row is there already */
export function requestInserter(database: DatabaseSync): (row: RequestLogRow) => number {
  const insert = database.prepare(
    `INSERT INTO requests (${NAMES.join(', ')}) VALUES (${NAMES.map(() => '?').join(', ')}) ON CONFLICT DO NOTHING`,
  );
  return (row) =>
    insert.run(
      row.position,
      row.requestId,
      row.requestedAt,
      row.accountId,
      row.apiKeyId,
      row.route,
      row.model,
      row.effort,
      row.status,
      row.errorCode,
      row.errorMessage,
      row.inputTokens,
      row.outputTokens,
      row.cachedInputTokens,
      row.reasoningTokens,
      row.costMicroDollars,
      row.latencyMs,
      row.firstByteMs,
      row.attempts,
    ).changes as number;
}

/** Rows that match, newest first; `total` is undefined without a condition: then the caller knows it. */
export function selectRequests(
  database: DatabaseSync,
  filter: RequestLogFilter,
  limit: number,
  offset: number,
): { rows: RequestLogRow[]; total: number | undefined } {
  const { where, values } = conditionsOf(filter);
  // NOT INDEXED: by position the walk ends with the page, by time it would sort the whole range first.
  const rows = database
    .prepare(`SELECT ${NAMES.join(', ')} FROM requests NOT INDEXED ${where} ORDER BY position DESC LIMIT ? OFFSET ?`)
    .all(...values, limit, offset) as unknown as RequestLogRow[];
  if (where === '') return { rows, total: undefined };
  const count = database.prepare(`SELECT COUNT(*) AS total FROM requests ${where}`).get(...values);
  return { rows, total: count?.total as number };
}

interface Conditions {
  readonly where: string;
  readonly values: SQLInputValue[];
}

function conditionsOf(filter: RequestLogFilter): Conditions {
  const parts: string[] = [];
  const values: SQLInputValue[] = [];
  const add = (sql: string, ...given: SQLInputValue[]) => {
    parts.push(sql);
    values.push(...given);
  };
  const anyOf = (name: keyof RequestLogRow, wanted: readonly (string | null)[] | undefined) => {
    if (!wanted) return;
    const texts = wanted.filter((value) => value !== null);
    const among = `${name} IN (${texts.map(() => '?').join(', ')})`;
    add(texts.length < wanted.length ? `(${among} OR ${name} IS NULL)` : among, ...texts);
  };
  anyOf('accountId', filter.accountIds);
  anyOf('status', filter.statuses);
  anyOf('model', filter.models);
  anyOf('effort', filter.efforts);
  if (filter.modelOptions) {
    const pairs = filter.modelOptions.filter(({ effort }) => effort !== null);
    const bare = filter.modelOptions.filter(({ effort }) => effort === null);
    // Lists, because a chain of OR may have no more than a thousand links.
    const either = [
      ...(pairs.length > 0 ? [`(model, effort) IN (VALUES ${pairs.map(() => '(?, ?)').join(', ')})`] : []),
      ...(bare.length > 0 ? [`effort IS NULL AND model IN (${bare.map(() => '?').join(', ')})`] : []),
    ];
    const given = [...pairs.flatMap(({ model, effort }) => [model, effort]), ...bare.map(({ model }) => model)];
    add(`(${either.join(' OR ') || 'FALSE'})`, ...given);
  }
  if (filter.since !== undefined) add('requestedAt >= ?', filter.since);
  if (filter.until !== undefined) add('requestedAt <= ?', filter.until);
  if (filter.search) {
    const pattern = `%${filter.search.replace(/[\\%_]/g, '\\$&')}%`;
    add(String.raw`(requestId LIKE ? ESCAPE '\' OR errorMessage LIKE ? ESCAPE '\')`, pattern, pattern);
  }
  return { where: parts.length > 0 ? `WHERE ${parts.join(' AND ')}` : '', values };
}
