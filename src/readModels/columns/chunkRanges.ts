import { endOf, startOf } from '../../../projections/periods.ts';
import type { Instant } from '../../domain/core/brands.ts';
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

/** The first moments of ranges with their steps; the last one ends them. */
export interface StepBounds {
  readonly times: Float64Array;
  readonly steps: Int32Array;
}

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
  const bounds = stepBounds(edges, isByMonth);
  for (const chunk of chunks) yield* rangesOf(chunk, bounds);
}

/** @param edges as for `chunkRanges` */
export function stepBounds(edges: readonly Instant[], isByMonth: boolean): StepBounds {
  if (!isByMonth) return { times: Float64Array.from(edges), steps: Int32Array.from(edges.keys()) };
  const [times, steps]: [number[], number[]] = [[], []];
  edges.forEach((edge, step) => {
    const before = edges[step - 1];
    if (before !== undefined) {
      for (let month = endOf('month', startOf('month', before)); month < edge; month = endOf('month', month)) {
        times.push(month);
        steps.push(step - 1);
      }
    }
    times.push(edge);
    steps.push(step);
  });
  return { times: Float64Array.from(times), steps: Int32Array.from(steps) };
}

/** The ranges of one chunk in the order of times. */
export function rangesOf(chunk: RequestChunk, { times: bounds, steps }: StepBounds): ChunkRange[] {
  const ranges: ChunkRange[] = [];
  const end = bounds.length - 1;
  let range = Math.max(0, indexOf(bounds, chunk.earliest + 1, 0) - 1);
  let times: Column | undefined;
  let from = 0;
  for (; range < end && from < chunk.length; range++) {
    const [start, stop] = [bounds[range] as Instant, bounds[range + 1] as Instant];
    if (start > chunk.latest) break;
    const isWhole = start <= chunk.earliest && chunk.latest < stop;
    if (!isWhole) times ??= chunk.column('requestedAt');
    const first = times && from === 0 ? indexOf(times, start - chunk.earliest, 0) : from;
    from = times ? indexOf(times, stop - chunk.earliest, first) : chunk.length;
    if (first < from) ranges.push({ chunk, from: first, to: from, step: steps[range] as number, at: start });
  }
  return ranges;
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
