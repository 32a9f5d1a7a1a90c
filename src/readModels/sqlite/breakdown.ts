import type { DatabaseSync } from 'node:sqlite';
import type { Instant, Position } from '../../domain/core/brands.ts';
import { fieldsOf, LIST_OF } from '../columns/fieldPairs.ts';
import type { Cut } from '../cut.ts';
import { breakdownOf, keyOf } from '../figureCounts.ts';
import type { Breakdown, BreakdownRequest } from '../figuresQueries.ts';
import type { Turns } from '../turns.ts';
import { wantedGroups } from '../wantedGroups.ts';
import { ColumnFigures } from './columnFigures.ts';
import { type Counted, countRows, type FigureTables, RowFigures } from './rowFigures.ts';
import { shareOf } from './shareOf.ts';
import { StoredFigures } from './storedFigures.ts';
import { withoutIdleConditions } from './withoutIdleConditions.ts';

/** From this share on, the requests that a filter lets through are counted by those that it leaves out. */
const MIN_SHARE = 0.5;
/** Up to this many requests are counted by their columns sooner than sums of them are read and merged. */
const MAX_REQUESTS = 250_000;

/**
 * See `FiguresQueries.breakdown`. From the columns of requests, where they are few or a filter needs more than the sums say; from sums,
 * with the columns of parts of a quarter of an hour and around a cut; or from rows.
 * @param database reads the same while others write to the file, as the tables go on with the log between two turns
 * @param hasAllRows whether every request from the first edge on has a row: those of archived days have sums alone
 */
export function* breakdown(
  database: DatabaseSync,
  tables: FigureTables,
  given: BreakdownRequest,
  position: Position,
  cut: Cut | undefined,
  hasAllRows: boolean,
): Turns<Breakdown> {
  const upTo = cut?.asOf ?? position;
  const request = hasAllRows
    ? { ...given, filter: withoutIdleConditions(given.filter, database, tables.requests) }
    : given;
  const { whole, steps } = yield* count(database, tables, request, { cut, upTo }, hasAllRows);
  return yield* breakdownOf(request, whole, yield* steps.packed(), upTo);
}

function* count(
  database: DatabaseSync,
  tables: FigureTables,
  request: BreakdownRequest,
  { cut, upTo }: { readonly cut: Cut | undefined; readonly upTo: Position },
  hasAllRows: boolean,
): Turns<Counted> {
  const { edges, filter } = request;
  const columns = ColumnFigures.of(database, tables, request, upTo);
  if (!columns) return yield* countRows(new RowFigures(database, tables, filter, cut), request);
  const wanted = wantedGroups(request);
  const range = { from: edges[0] as Instant, to: edges.at(-1) as Instant };
  if (hasAllRows && columns.requestsIn(range) <= MAX_REQUESTS) return yield* columns.count(request);
  if (wanted !== 'rows') return yield* new StoredFigures(database, tables, request, wanted, cut, columns).count();
  // Cells are of chunks: steps that are shorter are counted by requests anyway.
  const byPairs = hasAllRows && edges.length <= columns.chunksIn(range);
  const counted = byPairs && (yield* countPairs(database, tables, request, cut, columns));
  if (counted) return counted;
  const isMost = hasAllRows && shareOf(database, filter, range) > MIN_SHARE;
  const withoutExcluded = isMost && (yield* countWithoutExcluded(database, tables, request, { cut, upTo }, columns));
  return withoutExcluded || (yield* columns.count(request));
}

/** By the sums of all requests, and the columns of those that the filter leaves out. @returns undefined for filters on several columns */
export function* countWithoutExcluded(
  database: DatabaseSync,
  tables: FigureTables,
  request: BreakdownRequest,
  { cut, upTo }: { readonly cut: Cut | undefined; readonly upTo: Position },
  columns: ColumnFigures,
): Turns<Counted | undefined> {
  const excluded = columns.excluded();
  const all = excluded && ColumnFigures.of(database, tables, { filter: {} }, upTo);
  return all && (yield* new StoredFigures(database, tables, request, undefined, cut, all).count(excluded));
}

/** By the cells of two fields, and by sums of the one that the filter is on. @returns undefined for other filters */
export function* countPairs(
  database: DatabaseSync,
  tables: FigureTables,
  request: BreakdownRequest,
  cut: Cut | undefined,
  columns: ColumnFigures,
): Turns<Counted | undefined> {
  const { edges, filter } = request;
  const [field, ...others] = fieldsOf(filter) ?? [];
  if (!field || others.length > 0 || tables.figures.hasFullMonth(field, edges)) return undefined;
  const pairs = columns.byPairs(request);
  if (!pairs) return undefined;
  const wanted = new Set((filter[LIST_OF[field]] as readonly (string | null)[]).map(keyOf));
  const sums = new StoredFigures(database, tables, { ...request, by: field }, wanted, cut, columns);
  return yield* pairs.count((steps) => sums.addTotals(steps));
}
