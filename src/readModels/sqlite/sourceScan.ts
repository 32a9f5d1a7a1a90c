import type { DatabaseSync } from 'node:sqlite';
import type { RequestKind } from '../../../projections/requestLog.ts';
import type { Instant } from '../../domain/core/brands.ts';
import { ListedAttempts } from '../listedAttempts.ts';
import { kindNamed, namesPredicate, type RequestCounts } from '../requestFilter.ts';
import type { RequestLogFilter } from '../requestLogQueries.ts';
import type { SourceSelection } from './requestSelection.ts';
import { type RequestSelection, rowCondition } from './requestSelection.ts';
import type { RequestTable } from './requestTable.ts';

/** Up to this many matches are sorted; of more, a page is found sooner along the time. */
const MAX_SORTED_MATCHES = 5_000;

interface TimeRange {
  readonly from: Instant;
  readonly to: Instant;
}

/**
 * `FROM` and `WHERE` of the rows of a selection with conditions on their source. A conversation has few rows and an index; so have
 * the keys, owners and error codes.
 */
export function rowsOf(selection: RequestSelection, { from, to }: TimeRange, byTime = false) {
  const { sql, values } = rowCondition(selection, 'requests');
  return {
    sql: `FROM requests ${byTime ? 'INDEXED BY requestsByTime' : indexFor(selection.source)}
      WHERE requestedAt >= ? AND requestedAt < ? ${sql}`,
    values: [from, to, ...values],
  };
}

function indexFor(source: SourceSelection | undefined): string {
  if (source?.conversations) return 'NOT INDEXED';
  return source?.sourceIds ? 'INDEXED BY requestsOfSource' : 'INDEXED BY requestsByTime';
}

/** The number of rows of a selection in a time range. */
export function countRows(database: DatabaseSync, selection: RequestSelection, range: TimeRange): number {
  const { sql, values } = rowsOf(selection, range);
  return database.prepare(`SELECT COUNT(*) AS count ${sql}`).get(...values)?.count as number;
}

/** Positions of the rows of a selection, latest first. */
export function scanRows(
  database: DatabaseSync,
  selection: RequestSelection,
  { count, ...range }: TimeRange & { readonly count: number },
  limit: number,
  offset: number,
): number[] {
  const byTime = count > MAX_SORTED_MATCHES && !selection.source?.conversations;
  const { sql, values } = rowsOf(selection, range, byTime);
  const rows = database
    .prepare(`SELECT requestedAt, position ${sql} ORDER BY requestedAt DESC, position DESC LIMIT ? OFFSET ?`)
    .all(...values, limit, offset);
  return rows.map(({ position }) => position as number);
}

/** The numbers of requests by kind among the rows of a selection, for the lists of options. */
export function countsOfSelection(
  database: DatabaseSync,
  { kinds }: RequestTable,
  selection: RequestSelection,
  filter: RequestLogFilter,
  isBeyond: boolean,
): RequestCounts {
  const { attemptedAccountIds } = filter;
  const { sql, values } = rowsOf(selection, selection);
  const kind = isBeyond ? 'kindId, modelBeyond, effortBeyond' : 'kindId';
  const own = database.prepare(`SELECT ${kind}, COUNT(*) AS count ${sql} GROUP BY ${kind}`).all(...values);
  const attempts = database
    .prepare(
      `SELECT tried.accountId, ${kind}, COUNT(*) AS count
       FROM (SELECT position, accountId${isBeyond ? '' : ', kindId'} FROM otherAttempts) AS tried
         ${isBeyond ? 'JOIN requests USING (position)' : ''}
       WHERE position IN (SELECT position ${sql}) GROUP BY tried.accountId, ${kind}`,
    )
    .all(...values);
  const named = new Map<string, RequestKind>();
  const isWanted = namesPredicate(filter);
  const kindOf = (row: { readonly [name: string]: unknown }): RequestKind => {
    const entry = kinds.entryOf(row.kindId as number);
    if (!isBeyond) return entry;
    const own = kindNamed(entry, row as { modelBeyond: string | null; effortBeyond: string | null }, isWanted);
    if (own === entry) return entry;
    const key = JSON.stringify(own);
    named.set(key, named.get(key) ?? own);
    return named.get(key) as RequestKind;
  };
  const wanted = JSON.stringify(attemptedAccountIds ?? []);
  const attempted = attemptedAccountIds
    ? database
        .prepare(
          `SELECT ${kind}, COUNT(*) AS count ${sql} AND EXISTS (SELECT 1 FROM otherAttempts AS tried
             WHERE tried.position = requests.position AND tried.accountId IN (SELECT value FROM json_each(?)))
           GROUP BY ${kind}`,
        )
        .all(...values, wanted)
    : [];
  const isOwn = ({ accountId }: RequestKind) => accountId !== null && attemptedAccountIds?.includes(accountId);
  return {
    kinds: own.map((row) => [kindOf(row), row.count as number]),
    attempts: new ListedAttempts(
      attempts.map((row) => ({
        accountId: row.accountId as string,
        kind: kindOf(row),
        count: row.count as number,
      })),
    ),
    attempted: attempted.flatMap((row) => (isOwn(kindOf(row)) ? [] : [[kindOf(row), row.count as number] as const])),
  };
}
