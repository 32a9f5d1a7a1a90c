import type { DatabaseSync } from 'node:sqlite';
import type { Instant } from '../../domain/core/brands.ts';
import { chunkRanges, overlaps } from '../columns/chunkRanges.ts';
import { type ChunkFilter, ChunkSelection, EXCLUDED, type GroupCodes } from '../columns/chunkSelection.ts';
import type { RequestLogFilter } from '../requestLogQueries.ts';
import { columnFilter } from './columnFilter.ts';
import type { FigureTables } from './rowFigures.ts';

/** Of fewer requests, reading an index is as fast. */
const MIN_REQUESTS = 8_192;
/** How many times as long an entry of an index takes as a request in columns. */
const INDEX_FACTOR = 10;

/** A time range with the number of its requests that a filter lets through; `to` is exclusive. */
interface CountedTimes {
  readonly from: Instant;
  readonly to: Instant;
  readonly count: number;
}

type Conditions = () => ChunkFilter | undefined;

/** The conditions of a page on columns, for all of its ranges: there are thousands of kinds to look at. */
export function pageConditions(
  database: DatabaseSync,
  { requests }: Pick<FigureTables, 'requests'>,
  filter: RequestLogFilter,
  upTo: number,
): Conditions {
  const { search: _, since: __, until: ___, sort: ____, ...conditions } = filter;
  let found: { readonly filter: ChunkFilter | undefined } | undefined;
  return () => {
    found ??= { filter: columnFilter(conditions, { database, requests, upTo }) };
    return found.filter;
  };
}

/**
 * Finds the rows of a page where few of many requests match, by their columns: an index would be read up to the last one of the page.
 * @param upTo the last position of a request
 * @param minRequests in the range, whatever the filter
 * @returns undefined where an index is faster, or needed
 */
export function positionsByColumns(
  { requests, figures }: FigureTables,
  conditions: Conditions,
  { from, to, count }: CountedTimes,
  upTo: number,
  limit: number,
  offset: number,
  minRequests = MIN_REQUESTS,
): number[] | undefined {
  const all = figures.countChunks((summary) => overlaps(summary, from, to));
  const share = Math.min(1, (limit + offset) / count);
  if (all < minRequests || share * INDEX_FACTOR < 1) return undefined;
  const found = conditions();
  if (!found) return undefined;
  const selection = new ChunkSelection();
  const kinds = allOf(
    found.conditions.find(({ column }) => column === 'kindId')?.wanted,
    requests.kinds.entries.length,
  );
  const rows: { readonly at: number; readonly position: number }[] = [];
  const chunks = figures.chunks((summary) => summary.firstPosition <= upTo && overlaps(summary, from, to));
  for (const range of chunkRanges(chunks, [from, to], false)) {
    selection.select(range, kinds, found);
    const { chunk } = range;
    const [times, positions] = [chunk.column('requestedAt'), chunk.column('position')];
    for (let index = 0; index < selection.length; index++) {
      const row = selection.rows[index] as number;
      rows.push({
        at: chunk.earliest + (times[row] as number),
        position: chunk.firstPosition + (positions[row] as number),
      });
    }
  }
  rows.sort((a, b) => b.at - a.at || b.position - a.position);
  return rows.slice(offset, offset + limit).map(({ position }) => position);
}

/** All requests in one group, of which only those of wanted kinds are selected. */
function allOf(wanted: Uint8Array | undefined, kinds: number): GroupCodes {
  const codes = new Int32Array(kinds + 1);
  if (wanted) for (let id = 0; id < codes.length; id++) if (wanted[id] !== 1) codes[id] = EXCLUDED;
  return { column: 'kindId', codesAt: () => ({ codes, resolve: () => EXCLUDED }) };
}
