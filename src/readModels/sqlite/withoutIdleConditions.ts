import type { DatabaseSync } from 'node:sqlite';
import { GROUPINGS, type Grouping, groupings, OTHER } from '../../../projections/figures.ts';
import { COLUMN_OF, LIST_OF } from '../columns/fieldPairs.ts';
import type { RequestLogFilter } from '../requestLogQueries.ts';
import type { RequestTable } from './requestTable.ts';

/**
 * A filter without the conditions that all requests fulfil, as those of a dashboard whose clients all use HTTP: without any, sums say
 * all, and with one, cells of two fields do.
 */
export function withoutIdleConditions(
  filter: RequestLogFilter,
  database: DatabaseSync,
  requests: RequestTable,
): RequestLogFilter {
  const idle = groupings.filter((field) => isIdle(field, filter, database, requests)).map((field) => LIST_OF[field]);
  return Object.fromEntries(
    Object.entries(filter).filter(([name, values]) => values !== undefined && !idle.some((list) => list === name)),
  );
}

function isIdle(
  field: Grouping,
  filter: RequestLogFilter,
  database: DatabaseSync,
  { kinds, sources }: RequestTable,
): boolean {
  const list: readonly (string | null)[] | undefined = filter[LIST_OF[field]];
  if (!list) return false;
  const column = COLUMN_OF[field];
  if (column === 'clientId') return list.includes(null) && !hasOtherClient(database, list);
  const wanted = new Set(list);
  const entries: readonly object[] = { kindId: kinds.entries, sourceId: sources.entries }[column];
  // A request that is counted as `other` may have any name.
  return entries.every((entry) => {
    const value = (entry as Readonly<Record<string, string | null>>)[GROUPINGS[field]] ?? null;
    return value !== OTHER && wanted.has(value);
  });
}

const hasOtherClient = (database: DatabaseSync, clients: readonly (string | null)[]): boolean =>
  database
    .prepare(
      'SELECT 1 FROM requestClients WHERE client IS NOT NULL AND client NOT IN (SELECT value FROM json_each(?)) LIMIT 1',
    )
    .get(JSON.stringify(clients.filter((client) => client !== null))) !== undefined;
