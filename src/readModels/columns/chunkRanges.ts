import { endOf, startOf } from '../../../projections/periods.ts';
import { type Instant, instant } from '../../domain/core/brands.ts';
import type { Column } from './column.ts';
import type { RequestChunk } from './requestChunk.ts';

/** Consecutive requests of a chunk that belong to one step. */
export interface ChunkRange {
  readonly chunk: RequestChunk;
  /** Indexes in the chunk; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
  readonly step: number;
  /** A moment of the step; of the month of all of them where groups are by month. */
  readonly at: Instant;
}

/** Whether a chunk may have requests of a time range. */
export const overlaps = ({ earliest, latest }: { earliest: number; latest: number }, from: number, to: number) =>
  earliest < to && latest >= from;

/**
 * Splits chunks by steps, and by months where groups are by month: requests are in the order of their times, so that a step is a
 * range of them, and nothing has to be asked of each.
 * @param edges the first moments of all steps, and the first moment after the last one
 */
export function* chunkRanges(
  chunks: Iterable<RequestChunk>,
  edges: readonly Instant[],
  isByMonth = true,
): Generator<ChunkRange> {
  const bounds = isByMonth ? withMonths(edges) : edges.map((at, step) => ({ at, step }));
  const end = bounds.length - 1;
  for (const chunk of chunks) {
    let range = Math.max(0, lastUpTo(bounds, chunk.earliest));
    let times: Column | undefined;
    let from = 0;
    for (; range < end && from < chunk.length; range++) {
      const [start, stop] = [bounds[range] as Bound, bounds[range + 1] as Bound];
      if (start.at > chunk.latest) break;
      const isWhole = start.at <= chunk.earliest && chunk.latest < stop.at;
      if (!isWhole) times ??= chunk.column('requestedAt');
      const first = times && from === 0 ? indexOf(times, start.at - chunk.earliest, 0) : from;
      from = times ? indexOf(times, stop.at - chunk.earliest, first) : chunk.length;
      if (first < from) yield { chunk, from: first, to: from, step: start.step, at: start.at };
    }
  }
}

interface Bound {
  readonly at: Instant;
  readonly step: number;
}

function withMonths(edges: readonly Instant[]): Bound[] {
  const bounds: Bound[] = [];
  edges.forEach((edge, step) => {
    const before = edges[step - 1];
    if (before !== undefined)
      for (let month = endOf('month', startOf('month', before)); month < edge; month = endOf('month', month))
        bounds.push({ at: instant(month), step: step - 1 });
    bounds.push({ at: edge, step });
  });
  return bounds;
}

/** The index of the last bound up to a moment; -1 if there is none. */
function lastUpTo(bounds: readonly Bound[], at: number): number {
  let [low, high] = [0, bounds.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((bounds[middle] as Bound).at <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The first index from `low` on whose value is not less. */
export function indexOf(sorted: Column, value: number, low: number): number {
  let [first, end] = [low, sorted.length];
  while (first < end) {
    const middle = (first + end) >> 1;
    if ((sorted[middle] as number) < value) first = middle + 1;
    else end = middle;
  }
  return first;
}
