import type { DatabaseSync } from 'node:sqlite';
import type { Instant, Position } from '../../domain/core/brands.ts';
import type { Cut } from '../cut.ts';
import { breakdownOf } from '../figureCounts.ts';
import type { Breakdown, BreakdownRequest } from '../figuresQueries.ts';
import { wantedGroups } from '../wantedGroups.ts';
import { ColumnFigures } from './columnFigures.ts';
import { type Counted, countRows, type FigureTables, RowFigures } from './rowFigures.ts';
import { StoredFigures } from './storedFigures.ts';

/** Up to this many requests are counted by their columns sooner than sums of them are read and merged. */
const MAX_REQUESTS = 250_000;

/**
 * See `FiguresQueries.breakdown`. From the columns of requests, where they are few or a filter needs more than the sums say; from sums,
 * with the columns of parts of a quarter of an hour and around a cut; or from rows.
 * @param hasAllRows whether every request from the first edge on has a row: those of archived days have sums alone
 */
export function breakdown(
  database: DatabaseSync,
  tables: FigureTables,
  request: BreakdownRequest,
  position: Position,
  cut: Cut | undefined,
  hasAllRows: boolean,
): Breakdown {
  const { whole, steps } = count(database, tables, request, cut, hasAllRows);
  return breakdownOf(request, whole, steps.packed(), cut?.asOf ?? position);
}

function count(
  database: DatabaseSync,
  tables: FigureTables,
  request: BreakdownRequest,
  cut: Cut | undefined,
  hasAllRows: boolean,
): Counted {
  const { edges, filter } = request;
  const columns = ColumnFigures.of(database, tables, request, cut);
  if (!columns) return countRows(new RowFigures(database, tables, filter, cut), request);
  const wanted = wantedGroups(request);
  const range = { from: edges[0] as Instant, to: edges.at(-1) as Instant };
  const isFast = hasAllRows && columns.requestsIn(range) <= MAX_REQUESTS;
  if (wanted === 'rows' || isFast) return columns.count(request);
  return new StoredFigures(database, tables, request, wanted, cut).count(columns);
}
