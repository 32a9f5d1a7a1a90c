import { addEncodedCounts, encodeCounts } from '../../domain/figures/quantileSketch.ts';
import type { FigureCounts } from '../figureCounts.ts';
import { SUMS } from '../packedDay.ts';
import type { ChunkRange } from './chunkRanges.ts';
import type { ChunkSelection } from './chunkSelection.ts';
import { ChunkSums } from './chunkSums.ts';
import type { Column } from './column.ts';
import type { PairCells } from './pairCells.ts';
import { addRequests } from './requestSums.ts';

/** Up to this many numbers, the bins of all steps are counted at once; of more steps, each range is encoded. */
const MAX_STEP_BINS = 1_000_000;

const NO_SUMS = new Float64Array(0);
/** In the column of the first byte, 0 is no response: its bins begin with the next number. */
const FIRST_BIN = [0, 1] as const;

/** The bins of latencies, and those of the first byte. */
type Bins = readonly [Int32Array, Int32Array];
const newBins = (length: number): Bins => [new Int32Array(length), new Int32Array(length)];

export interface ChunkCountsOptions {
  readonly steps: number;
  /** More than any bin. */
  readonly bins: number;
  /** For each kind of request 1 if it failed. */
  readonly failedKinds: Uint8Array;
  readonly hasGroupSketches: boolean;
  readonly hasStepSketches: boolean;
}

/** Adds up requests by group and step: a list of numbers for all groups of a step, and the bins of each group and of each step. */
export class ChunkCounts {
  readonly #options: ChunkCountsOptions;
  readonly #chunkSums = new ChunkSums();
  /** By step, `SUMS` numbers for each group that was known when the step had requests last. */
  readonly #sums = new Map<number, Float64Array>();
  #groupBins: Bins = newBins(0);
  readonly #stepBins: Bins | undefined;
  readonly #encodedSteps = new Map<number, readonly [Uint8Array[], Uint8Array[]]>();
  readonly #rangeBins: Bins;
  #groups = 0;

  constructor(options: ChunkCountsOptions) {
    const { steps, bins, hasStepSketches } = options;
    this.#options = options;
    this.#rangeBins = newBins(bins);
    this.#stepBins = hasStepSketches && steps * bins <= MAX_STEP_BINS ? newBins(steps * bins) : undefined;
  }

  /** @param groups more than the largest code of a group */
  add(range: ChunkRange, selection: ChunkSelection, groups: number): void {
    if (selection.length === 0) return;
    this.addSums(range, selection, groups);
    const { hasGroupSketches, hasStepSketches, bins } = this.#options;
    if (hasGroupSketches) this.addRequestBins(range, selection, groups);
    if (!hasStepSketches) return;
    if (this.#stepBins) {
      countBins(range, selection, this.#stepBins, range.step * bins);
      return;
    }
    countBins(range, selection, this.#rangeBins, 0);
    this.#encodeRange(range.step);
  }

  /** As `add`, the sums alone. */
  addSums({ chunk, step }: ChunkRange, selection: ChunkSelection, groups: number): void {
    if (selection.length === 0) return;
    this.#chunkSums.add(chunk, selection, groups, this.#options.failedKinds, this.#sumsFor(step, groups));
  }

  /**
   * Adds the sums of cells, from one entry to another, to a step.
   * @param groupOf for each cell its group; negative: none
   */
  addEntries(
    { cellOf, sums }: PairCells,
    from: number,
    to: number,
    groupOf: Int32Array,
    step: number,
    groups: number,
  ): void {
    const into = this.#sumsFor(step, groups);
    for (let index = 0; index < SUMS; index++) {
      const values = sums[index] as Column;
      for (let entry = from; entry < to; entry++) {
        const group = groupOf[cellOf[entry] as number] as number;
        if (group < 0) continue;
        const at = group * SUMS + index;
        into[at] = (into[at] as number) + (values[entry] as number);
      }
    }
  }

  /** Takes requests that entries have added to one step from there to their own, if they have one. @param step negative: none */
  move(
    { chunk, step }: Pick<ChunkRange, 'chunk' | 'step'>,
    from: number,
    selection: ChunkSelection,
    groups: number,
  ): void {
    if (selection.length === 0) return;
    const moved = new Float64Array(groups * SUMS);
    addRequests(chunk, selection, this.#options.failedKinds, moved);
    const source = this.#sumsFor(from, groups);
    const target = step < 0 ? NO_SUMS : this.#sumsFor(step, groups);
    for (let index = 0; index < moved.length; index++)
      source[index] = (source[index] as number) - (moved[index] as number);
    for (let index = 0; index < target.length && index < moved.length; index++)
      target[index] = (target[index] as number) + (moved[index] as number);
  }

  /** Adds the bins of cells to those of their groups. @param groupOf as for `addEntries` */
  addBins(cells: PairCells, groupOf: Int32Array, groups: number): void {
    this.#growTo(groups);
    const { bins } = this.#options;
    for (const sketch of [0, 1] as const) {
      const into = this.#groupBins[sketch];
      for (let cell = 0; cell < groupOf.length; cell++) {
        const group = groupOf[cell] as number;
        if (group >= 0) addEncodedCounts(cells.binsOf(sketch, cell), into, group * bins + FIRST_BIN[sketch]);
      }
    }
  }

  /** Adds the bins alone of requests to those of their groups. */
  addRequestBins(range: Pick<ChunkRange, 'chunk'>, selection: ChunkSelection, groups: number): void {
    this.#growTo(groups);
    countGroupBins(range, selection, this.#groupBins, this.#options.bins);
  }

  /** Makes room for groups of which bins are added. */
  #growTo(groups: number): void {
    if (groups <= this.#groups) return;
    this.#groups = Math.max(groups, 2 * this.#groups);
    const grown = newBins(this.#groups * this.#options.bins);
    grown.forEach((own, sketch) => {
      own.set(this.#groupBins[sketch as 0 | 1]);
    });
    this.#groupBins = grown;
  }

  /** The sums of a step, with room for this number of groups. */
  #sumsFor(step: number, groups: number): Float64Array {
    const known = this.#sums.get(step) ?? NO_SUMS;
    if (known.length >= groups * SUMS) return known;
    const grown = new Float64Array(groups * SUMS);
    grown.set(known);
    this.#sums.set(step, grown);
    return grown;
  }

  #encodeRange(step: number): void {
    const parts = this.#encodedSteps.get(step) ?? ([[], []] as const);
    this.#encodedSteps.set(step, parts);
    this.#rangeBins.forEach((counts, sketch) => {
      parts[sketch as 0 | 1].push(encodeBins(sketch, counts));
      counts.fill(0);
    });
  }

  /** The sums of all groups of a step, `SUMS` for each; those of the last groups may be missing, as they have none. */
  stepSums(step: number): Float64Array {
    return this.#sums.get(step) ?? NO_SUMS;
  }

  /** The sums of all groups in all steps, likewise. */
  groupSums(groups: number): Float64Array {
    const all = new Float64Array(groups * SUMS);
    for (const sums of this.#sums.values())
      for (let index = 0; index < sums.length; index++) all[index] = (all[index] as number) + (sums[index] as number);
    return all;
  }

  /** Adds the bins of a group to both sketches. */
  addGroupSketches(group: number, into: FigureCounts): void {
    if (group >= this.#groups) return;
    const { bins } = this.#options;
    this.#groupBins.forEach((counts, sketch) => {
      addTo(into, sketch, encodeBins(sketch, counts.subarray(group * bins, (group + 1) * bins)));
    });
  }

  /** Adds the bins of all requests of a step to both sketches. */
  addStepSketches(step: number, into: FigureCounts): void {
    const { bins } = this.#options;
    if (this.#stepBins) {
      this.#stepBins.forEach((counts, sketch) => {
        addTo(into, sketch, encodeBins(sketch, counts.subarray(step * bins, (step + 1) * bins)));
      });
      return;
    }
    this.#encodedSteps.get(step)?.forEach((parts, sketch) => {
      for (const part of parts) addTo(into, sketch, part);
    });
  }
}

/** Adds the bins of requests to those of one step, both in one loop: what it costs is to find a request's numbers. */
function countBins({ chunk }: ChunkRange, { rows, length }: ChunkSelection, [latency, firstByte]: Bins, first: number) {
  const [latencies, firstBytes] = [chunk.column('latencyBin'), chunk.column('firstByteBin')];
  for (let each = 0; each < length; each++) {
    const row = rows[each] as number;
    // One by one: a list of both would be made for each request.
    const own = first + (latencies[row] as number);
    const other = first + (firstBytes[row] as number);
    latency[own] = ((latency[own] as number) + 1) | 0;
    firstByte[other] = ((firstByte[other] as number) + 1) | 0;
  }
}

/** Adds the bins of requests to those of their groups. */
function countGroupBins(
  { chunk }: Pick<ChunkRange, 'chunk'>,
  { rows, groups, length }: ChunkSelection,
  [latency, firstByte]: Bins,
  bins: number,
) {
  const [latencies, firstBytes] = [chunk.column('latencyBin'), chunk.column('firstByteBin')];
  for (let each = 0; each < length; each++) {
    const row = rows[each] as number;
    const first = (groups[each] as number) * bins;
    // One by one: a list of both would be made for each request.
    const own = first + (latencies[row] as number);
    const other = first + (firstBytes[row] as number);
    latency[own] = ((latency[own] as number) + 1) | 0;
    firstByte[other] = ((firstByte[other] as number) + 1) | 0;
  }
}

const encodeBins = (sketch: number, counts: Int32Array): Uint8Array =>
  encodeCounts(counts.subarray(FIRST_BIN[sketch as 0 | 1]));

const addTo = ({ latency, firstByte }: FigureCounts, sketch: number, encoded: Uint8Array): void =>
  (sketch === 0 ? latency : firstByte).mergeEncoded(encoded);
