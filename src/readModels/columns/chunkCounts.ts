import { FIGURE_SUMS } from '../../../projections/figures.ts';
import { encodeCounts } from '../../domain/figures/quantileSketch.ts';
import type { FigureCounts } from '../figureCounts.ts';
import { SUMS } from '../packedDay.ts';
import type { ChunkRange } from './chunkRanges.ts';
import type { ChunkSelection } from './chunkSelection.ts';
import type { Column } from './column.ts';

const at = (name: (typeof FIGURE_SUMS)[number]): number => FIGURE_SUMS.indexOf(name);
const [REQUESTS, ERRORS, INPUT, CACHED] = [at('requests'), at('errors'), at('inputTokens'), at('cachedInputTokens')];
const [OUTPUT, REASONING, COST] = [at('outputTokens'), at('reasoningTokens'), at('costMicroDollars')];
const [GENERATED, GENERATING] = [at('generatedTokens'), at('generatingMs')];
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
    this.#addSums(range, selection);
    const { hasGroupSketches, hasStepSketches } = this.#options;
    SKETCHES.forEach((name, sketch) => {
      const bins = range.chunk.column(name);
      if (hasGroupSketches) this.#addToGroups(bins, selection, this.#groupBins[sketch] as Uint32Array);
      if (hasStepSketches) this.#addToStep(bins, selection, range.step, sketch);
    });
  }

  /** All in one loop, as what it costs is to find where a request's numbers are and belong. */
  #addSums({ chunk, step }: ChunkRange, { rows, groups, length }: ChunkSelection): void {
    const { steps, failedKinds } = this.#options;
    const sums = this.#sums;
    const kinds = chunk.column('kindId');
    const [input, cached] = [chunk.column('inputTokens'), chunk.column('cachedInputTokens')];
    const [output, reasoning] = [chunk.column('outputTokens'), chunk.column('reasoningTokens')];
    const [cost, generating] = [chunk.column('costMicroDollars'), chunk.column('generatingMs')];
    for (let each = 0; each < length; each++) {
      const row = rows[each] as number;
      const into = ((groups[each] as number) * steps + step) * SUMS;
      const outputTokens = output[row] as number;
      const generatingMs = generating[row] as number;
      sums[into + REQUESTS] = (sums[into + REQUESTS] as number) + 1;
      sums[into + ERRORS] = (sums[into + ERRORS] as number) + (failedKinds[kinds[row] as number] as number);
      sums[into + INPUT] = (sums[into + INPUT] as number) + (input[row] as number);
      sums[into + CACHED] = (sums[into + CACHED] as number) + (cached[row] as number);
      sums[into + OUTPUT] = (sums[into + OUTPUT] as number) + outputTokens;
      sums[into + REASONING] = (sums[into + REASONING] as number) + (reasoning[row] as number);
      sums[into + COST] = (sums[into + COST] as number) + (cost[row] as number);
      if (generatingMs === 0) continue;
      sums[into + GENERATED] = (sums[into + GENERATED] as number) + outputTokens;
      sums[into + GENERATING] = (sums[into + GENERATING] as number) + generatingMs;
    }
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
