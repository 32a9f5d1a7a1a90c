import { addEncodedCounts, encodeCounts } from '../../domain/figures/quantileSketch.ts';
import type { FigureCounts } from '../figureCounts.ts';
import { SUMS } from '../packedDay.ts';
import type { ChunkRange } from './chunkRanges.ts';
import type { ChunkSelection } from './chunkSelection.ts';
import type { Column } from './column.ts';
import type { PairCells } from './pairCells.ts';
import { addRequests } from './requestSums.ts';

const SKETCHES = ['latencyBin', 'firstByteBin'] as const;

/** Up to this many numbers, the bins of all steps are counted at once; of more steps, each range is encoded. */
const MAX_STEP_BINS = 1_000_000;

export interface ChunkCountsOptions {
  readonly steps: number;
  /** More than any bin. */
  readonly bins: number;
  /** For each kind of request 1 if it failed. */
  readonly failedKinds: Uint8Array;
  readonly hasGroupSketches: boolean;
  readonly hasStepSketches: boolean;
}

/** Adds up requests by group and step: a list of numbers for all groups, and the bins of each group and of each step. */
export class ChunkCounts {
  readonly #options: ChunkCountsOptions;
  /** `SUMS` numbers for each step of the first group, then of the second one, and so on. */
  #sums: Float64Array;
  readonly #groupBins: [Uint32Array, Uint32Array];
  readonly #stepBins: readonly Uint32Array[] | undefined;
  readonly #encodedSteps = new Map<number, [Uint8Array[], Uint8Array[]]>();
  readonly #rangeBins: Uint32Array;
  #groups = 0;

  constructor(options: ChunkCountsOptions) {
    const { steps, bins, hasStepSketches } = options;
    this.#options = options;
    this.#sums = new Float64Array(steps * SUMS);
    this.#groupBins = [new Uint32Array(0), new Uint32Array(0)];
    this.#rangeBins = new Uint32Array(bins);
    const isDense = hasStepSketches && steps * bins <= MAX_STEP_BINS;
    this.#stepBins = isDense ? SKETCHES.map(() => new Uint32Array(steps * bins)) : undefined;
  }

  /** The number of groups that it has room for. */
  get groups(): number {
    return this.#groups;
  }

  /** @param groups more than the largest code of a group */
  add(range: ChunkRange, selection: ChunkSelection, groups: number): void {
    this.#growTo(groups);
    if (selection.length === 0) return;
    this.addSums(range, selection, groups);
    const { hasGroupSketches, hasStepSketches } = this.#options;
    SKETCHES.forEach((name, sketch) => {
      const bins = range.chunk.column(name);
      if (hasGroupSketches) this.#addToGroups(bins, selection, this.#groupBins[sketch] as Uint32Array);
      if (hasStepSketches) this.#addToStep(bins, selection, range.step, sketch);
    });
  }

  /** As `add`, the sums alone. */
  addSums({ chunk, step }: ChunkRange, selection: ChunkSelection, groups: number): void {
    this.#growTo(groups);
    const { steps, failedKinds } = this.#options;
    addRequests(chunk, selection, failedKinds, this.#sums, steps * SUMS, step * SUMS);
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
    this.#growTo(groups);
    const { steps } = this.#options;
    const into = this.#sums;
    for (let index = 0; index < SUMS; index++) {
      const values = sums[index] as Column;
      for (let entry = from; entry < to; entry++) {
        const group = groupOf[cellOf[entry] as number] as number;
        if (group < 0) continue;
        const at = (group * steps + step) * SUMS + index;
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
    this.#growTo(groups);
    const { steps, failedKinds } = this.#options;
    const moved = new Float64Array(groups * SUMS);
    addRequests(chunk, selection, failedKinds, moved);
    const sums = this.#sums;
    for (let group = 0; group < groups; group++) {
      const [source, target] = [(group * steps + from) * SUMS, (group * steps + step) * SUMS];
      for (let index = 0; index < SUMS; index++) {
        const value = moved[group * SUMS + index] as number;
        sums[source + index] = (sums[source + index] as number) - value;
        if (step >= 0) sums[target + index] = (sums[target + index] as number) + value;
      }
    }
  }

  /** Adds the bins of cells to those of their groups. @param groupOf as for `addEntries` */
  addBins(cells: PairCells, groupOf: Int32Array): void {
    const { bins } = this.#options;
    for (const sketch of [0, 1] as const) {
      const into = this.#groupBins[sketch];
      for (let cell = 0; cell < groupOf.length; cell++) {
        const group = groupOf[cell] as number;
        // In the column of the first byte, 0 is no response.
        if (group >= 0) addEncodedCounts(cells.binsOf(sketch, cell), into, group * bins + sketch);
      }
    }
  }

  /** Adds the bins alone of requests to those of their groups. */
  addRequestBins({ chunk }: Pick<ChunkRange, 'chunk'>, selection: ChunkSelection, groups: number): void {
    this.#growTo(groups);
    SKETCHES.forEach((name, sketch) => {
      this.#addToGroups(chunk.column(name), selection, this.#groupBins[sketch] as Uint32Array);
    });
  }

  #growTo(groups: number): void {
    if (groups <= this.#groups) return;
    const { steps, bins, hasGroupSketches } = this.#options;
    const room = Math.max(groups, 2 * this.#groups);
    const sums = new Float64Array(room * steps * SUMS);
    sums.set(this.#sums.subarray(0, this.#groups * steps * SUMS));
    this.#sums = sums;
    if (hasGroupSketches) {
      for (const sketch of [0, 1] as const) {
        const grown = new Uint32Array(room * bins);
        grown.set(this.#groupBins[sketch]);
        this.#groupBins[sketch] = grown;
      }
    }
    this.#groups = room;
  }

  #addToGroups(values: Column, { rows, groups, length }: ChunkSelection, into: Uint32Array): void {
    const { bins } = this.#options;
    for (let each = 0; each < length; each++) {
      const bin = (groups[each] as number) * bins + (values[rows[each] as number] as number);
      into[bin] = (into[bin] as number) + 1;
    }
  }

  #addToStep(values: Column, { rows, length }: ChunkSelection, step: number, sketch: number): void {
    const { bins } = this.#options;
    const dense = this.#stepBins?.[sketch];
    const [into, first] = dense ? [dense, step * bins] : [this.#rangeBins, 0];
    for (let each = 0; each < length; each++) {
      const bin = first + (values[rows[each] as number] as number);
      into[bin] = (into[bin] as number) + 1;
    }
    if (dense) return;
    const encoded = this.#encodedSteps.get(step) ?? [[], []];
    this.#encodedSteps.set(step, encoded);
    encoded[sketch as 0 | 1].push(encodeBins(sketch, into));
    into.fill(0);
  }

  /** The sums of a group in a step. */
  sumsOf(group: number, step: number): Float64Array {
    const first = (group * this.#options.steps + step) * SUMS;
    return this.#sums.subarray(first, first + SUMS);
  }

  /** Adds the bins of a group to both sketches. */
  addGroupSketches(group: number, into: FigureCounts): void {
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

/** In the column of the first byte, 0 is no response. */
const encodeBins = (sketch: number, counts: Uint32Array): Uint8Array =>
  encodeCounts(SKETCHES[sketch] === 'firstByteBin' ? counts.subarray(1) : counts);

const addTo = ({ latency, firstByte }: FigureCounts, sketch: number, encoded: Uint8Array): void =>
  (SKETCHES[sketch] === 'firstByteBin' ? firstByte : latency).mergeEncoded(encoded);
