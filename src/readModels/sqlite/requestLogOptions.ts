import type { DatabaseSync } from 'node:sqlite';
import { type Instant, instant } from '../../domain/core/brands.ts';
import { type Cut, lastPositionOf, splitAtCut } from '../cut.ts';
import { MAX_INSTANT } from '../periodRanges.ts';
import { filterOptions, modelsServed, timeRangeOf } from '../requestFilter.ts';
import type { RequestLogFilter, RequestLogOptions } from '../requestLogQueries.ts';
import { needsRows, sourceOptions } from '../sourceFilter.ts';
import { attemptCounts, countsByAttempted } from './attemptCounts.ts';
import type { PeriodCounts } from './periodCounts.ts';
import { selectionOf } from './requestSelection.ts';
import { countsOfSelection } from './sourceScan.ts';
import type { Tables } from './tables.ts';

/** See `RequestLogQueries.options`. */
export function requestLogOptions(
  database: DatabaseSync,
  tables: Pick<Tables, 'requests' | 'kindCounts' | 'attemptCounts' | 'sourceCounts'>,
  filter: RequestLogFilter,
  cut?: Cut,
): RequestLogOptions {
  const { requests: table, kindCounts } = tables;
  const range = timeRangeOf(filter);
  const { attemptedAccountIds } = filter;
  // Each list ignores another condition, so all of them are evaluated on the counts.
  const isBeyond = table.hasBeyond(filter);
  const bySource = (isBeyond || needsRows(filter)) && selectionOf(withoutKinds(filter), table, lastPositionOf(cut));
  const { attempted } = selectionOf(attemptedAccountIds ? { attemptedAccountIds } : {}, table);
  const sources = sourceOptions(
    [...countsBySource(database, tables.sourceCounts, range, cut)].map(([id, n]) => [table.sources.entryOf(id), n]),
    filter,
  );
  if (bySource) {
    const counts = countsOfSelection(database, table, bySource, filter, isBeyond);
    return { ...filterOptions(counts, filter), ...sources };
  }
  const entryOf = ([id, count]: readonly [number, number]) => [table.kinds.entryOf(id), count] as const;
  const attempts = attemptCounts(database, tables, range, cut);
  const rows = { ...range, upTo: lastPositionOf(cut) };
  const wanted = new Set(attemptedAccountIds);
  const options = filterOptions(
    {
      kinds: [...countsByKind(database, kindCounts, range, cut)].map(entryOf),
      attempts,
      attempted: attempted && !attempted.isOne ? countsByAttempted(table, attempted, wanted, attempts, rows) : [],
    },
    filter,
  );
  return { ...options, ...sources };
}

/** The conditions of a filter that are evaluated on rows. */
const withoutKinds = ({
  search: _,
  accountIds: __,
  attemptedAccountIds: ___,
  statuses: ____,
  models: _____,
  efforts: ______,
  modelOptions: _______,
  ...rest
}: RequestLogFilter): RequestLogFilter => rest;

/** See `RequestLogQueries.models`. */
export function modelsWithSuccess(
  database: DatabaseSync,
  { requests: { kinds }, kindCounts }: Pick<Tables, 'requests' | 'kindCounts'>,
  cut?: Cut,
): string[] {
  const counts = cut && countsByKind(database, kindCounts, { from: instant(0), to: MAX_INSTANT }, cut);
  const entries = counts ? [...counts.keys()].map((id) => kinds.entryOf(id)) : kinds.entries;
  return modelsServed(entries);
}

const countsByKind = (...args: CountsArgs) => countsBy('kindId', ...args);
const countsBySource = (...args: CountsArgs) => countsBy('sourceId', ...args);

type CountsArgs = [
  database: DatabaseSync,
  groups: PeriodCounts,
  range: { readonly from: Instant; readonly to: Instant },
  cut: Cut | undefined,
];

/** The numbers of requests by the id of their kind or of their source. */
function countsBy(group: 'kindId' | 'sourceId', ...[database, groups, range, cut]: CountsArgs): Map<number, number> {
  const counts = new Map<number, number>();
  const inRows = database.prepare(
    `SELECT ${group} AS id, COUNT(*) AS count FROM requests INDEXED BY requestsByTime
     WHERE requestedAt >= ? AND requestedAt < ? AND position <= ? GROUP BY ${group}`,
  );
  for (const { period, from, to } of splitAtCut(range.from, range.to, cut)) {
    if (period) {
      groups.forEach(period, from, to, (id, count) => counts.set(id, (counts.get(id) ?? 0) + count));
      continue;
    }
    for (const { id, count } of inRows.all(from, to, lastPositionOf(cut)) as { id: number; count: number }[]) {
      counts.set(id, (counts.get(id) ?? 0) + count);
    }
  }
  return counts;
}
