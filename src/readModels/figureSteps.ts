import { FIGURE_SUMS, type FigureSums, OTHER } from '../../projections/figures.ts';
import type { Instant } from '../domain/core/brands.ts';
import type { Percentiles } from '../domain/figures/quantileSketch.ts';
import { FigureCounts, type GroupKey, idOf, REST, type StepCounts } from './figureCounts.ts';
import type { FigureStep, FigureSteps } from './figuresQueries.ts';
import { SUMS } from './packedDay.ts';
import type { Turns } from './turns.ts';

/** p50, p95 and p99 of the latency, and of the time to the first byte. */
const PERCENTILES = 6;
const REQUESTS = FIGURE_SUMS.indexOf('requests');
/** Steps whose percentiles are found in one turn: those of a day may be merged from a hundred sketches. */
const STEPS_OF_TURN = 16;

/** What all groups of a step have in common: its sums in the order of `FIGURE_SUMS`, then its percentiles as in `FigureSteps`. */
export type StepTotal = Float64Array;

/**
 * The figures of steps in two lists of numbers, instead of an object for each group of each step, of which there may be 100,000: these
 * took longer to make, and to pass on from thread to thread, than all else.
 */
export class DenseSteps {
  readonly sums: Float64Array;
  readonly #columns: ReadonlyMap<GroupKey, number>;
  readonly #totals: (FigureCounts | undefined)[];
  readonly #known: (StepTotal | undefined)[];
  /** Numbers of one step in `sums`. */
  readonly width: number;
  readonly #shown: readonly GroupKey[];

  /** @param shown the groups of each step; all others are the rest */
  constructor(count: number, shown: readonly GroupKey[]) {
    this.#shown = shown;
    this.#columns = new Map(shown.map((key, index) => [key, (index + 1) * SUMS]));
    this.width = (shown.length + 2) * SUMS;
    this.sums = new Float64Array(count * this.width);
    this.#totals = new Array(count);
    this.#known = new Array(count);
  }

  /** Where the sums of a group are in those of a step. */
  columnOf(key: GroupKey): number {
    return this.#columns.get(key) ?? this.#restColumn;
  }

  get #restColumn(): number {
    return this.width - SUMS;
  }

  add(step: number, key: GroupKey, sums: FigureSums): void {
    let at = step * this.width + this.columnOf(key);
    for (const name of FIGURE_SUMS) this.sums[at] = (this.sums[at++] as number) + sums[name];
  }

  /** @param sums in the order of `FIGURE_SUMS`, from an index on */
  addList(step: number, key: GroupKey, sums: ArrayLike<number | null>, from: number): void {
    this.#addAt(step * this.width + this.columnOf(key), sums, from);
  }

  /**
   * Adds the sums of all groups of a step.
   * @param columns for each group what `columnOf` returns
   * @param sums `SUMS` numbers for each group; those of the last groups may be missing
   */
  addGroups(step: number, columns: Int32Array, sums: Float64Array): void {
    const first = step * this.width;
    for (let group = 0, from = 0; from < sums.length; group++, from += SUMS)
      if (sums[from + REQUESTS] !== 0) this.#addAt(first + (columns[group] as number), sums, from);
  }

  #addAt(at: number, sums: ArrayLike<number | null>, from: number): void {
    for (let index = 0; index < SUMS; index++)
      this.sums[at + index] = (this.sums[at + index] as number) + (sums[from + index] as number);
  }

  /** What all groups of a step have in common. */
  totalOf(step: number): FigureCounts {
    let total = this.#totals[step];
    if (!total) {
      total = new FigureCounts();
      this.#totals[step] = total;
    }
    return total;
  }

  /** Sets what all groups of a step have in common, to which nothing is added. */
  setTotal(step: number, total: StepTotal): void {
    this.#known[step] = total;
  }

  /** What all groups of a step have in common so far, which nothing is added to afterwards; undefined: no request. */
  finishTotal(step: number): StepTotal | undefined {
    const total = this.#totals[step];
    if (!total) return undefined;
    const found = stepTotalOf(total);
    this.#totals[step] = undefined;
    this.#known[step] = found;
    return found;
  }

  /** Takes requests off that this has. @param other counts of the same steps with the same groups, which must not change afterwards */
  subtract(other: DenseSteps): void {
    other.#totals.forEach((total, step) => {
      if (!total) return;
      this.totalOf(step).subtract(total);
      for (let at = step * this.width; at < (step + 1) * this.width; at++)
        this.sums[at] = (this.sums[at] as number) - (other.sums[at] as number);
    });
  }

  /** The rest is the total without the groups that are shown, where only these were added. */
  deriveRest(): void {
    const { sums, width } = this;
    for (let step = 0; step < this.#totals.length; step++) {
      const [total, known] = [this.#totals[step], this.#known[step]];
      if (!total && !known) continue;
      const own = step * width;
      for (let index = 0; index < SUMS; index++) {
        let rest = known ? (known[index] as number) : (total?.sums[FIGURE_SUMS[index] as keyof FigureSums] ?? 0);
        for (let at = own + SUMS + index; at < own + this.#restColumn; at += SUMS) rest -= sums[at] as number;
        sums[own + this.#restColumn + index] = rest;
      }
    }
  }

  *packed(): Turns<FigureSteps> {
    const { sums, width } = this;
    const count = this.#totals.length;
    const percentiles = new Float64Array(count * PERCENTILES).fill(Number.NaN);
    for (let step = 0; step < count; step++) {
      const total = this.#known[step] ?? this.finishTotal(step);
      if (!total) continue;
      if (step % STEPS_OF_TURN === 0) yield;
      sums.set(total.subarray(0, SUMS), step * width);
      percentiles.set(total.subarray(SUMS), step * PERCENTILES);
    }
    const named = (key: GroupKey) => ({ id: idOf(key, OTHER), isRest: key === REST });
    return { groups: [...this.#shown, REST].map(named), sums, percentiles };
  }
}

function stepTotalOf({ sums, latency, firstByte }: FigureCounts): StepTotal {
  const total = new Float64Array(SUMS + PERCENTILES).fill(Number.NaN);
  FIGURE_SUMS.forEach((name, index) => {
    total[index] = sums[name];
  });
  [latency.percentiles(), firstByte.percentiles()].forEach((found, index) => {
    if (found) total.set([found.p50, found.p95, found.p99], SUMS + (index * PERCENTILES) / 2);
  });
  return total;
}

/** Counts by step and group as lists of numbers. @param shown as for `DenseSteps` */
export function denseStepsOf(steps: readonly StepCounts[], shown: readonly GroupKey[]): DenseSteps {
  const dense = new DenseSteps(steps.length, shown);
  steps.forEach(({ groups, total }, step) => {
    for (const [key, sums] of groups) dense.add(step, key, sums);
    dense.totalOf(step).merge(total);
  });
  return dense;
}

/** Passes on each step. @param edges those of the request */
export function* figureSteps(
  { groups, sums, percentiles }: FigureSteps,
  edges: readonly Instant[],
): Generator<FigureStep> {
  const sumsAt = (at: number) =>
    Object.fromEntries(FIGURE_SUMS.map((name, index) => [name, sums[at + index] as number])) as unknown as FigureSums;
  const percentilesAt = (at: number): Percentiles | null =>
    Number.isNaN(percentiles[at])
      ? null
      : { p50: percentiles[at] as number, p95: percentiles[at + 1] as number, p99: percentiles[at + 2] as number };
  const width = (groups.length + 1) * SUMS;
  for (let step = 0; step + 1 < edges.length; step++) {
    const own = step * width;
    yield {
      at: edges[step] as Instant,
      total: {
        sums: sumsAt(own),
        latencyMs: percentilesAt(step * PERCENTILES),
        firstByteMs: percentilesAt(step * PERCENTILES + PERCENTILES / 2),
      },
      groups: groups.flatMap((group, index) => {
        const at = own + (index + 1) * SUMS;
        return sums[at + REQUESTS] === 0 ? [] : [{ ...group, sums: sumsAt(at) }];
      }),
    };
  }
}
