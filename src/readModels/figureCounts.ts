import { FIGURE_SUMS, type Figure, type FigureSums, OTHER } from '../../projections/figures.ts';
import type { Instant, Position } from '../domain/core/brands.ts';
import { QuantileSketch } from '../domain/figures/quantileSketch.ts';
import type { Breakdown, BreakdownRequest, FigureSteps, Figures, GroupFigures } from './figuresQueries.ts';
import { forEachInTurns, type Turns } from './turns.ts';

/** Fields instead of a list of names: a request adds to them in ten groups. */
export class Sums implements FigureSums {
  requests = 0;
  errors = 0;
  inputTokens = 0;
  cachedInputTokens = 0;
  outputTokens = 0;
  reasoningTokens = 0;
  costMicroDollars = 0;
  generatedTokens = 0;
  generatingMs = 0;

  add(sums: FigureSums): void {
    this.requests += sums.requests;
    this.errors += sums.errors;
    this.inputTokens += sums.inputTokens;
    this.cachedInputTokens += sums.cachedInputTokens;
    this.outputTokens += sums.outputTokens;
    this.reasoningTokens += sums.reasoningTokens;
    this.costMicroDollars += sums.costMicroDollars;
    this.generatedTokens += sums.generatedTokens;
    this.generatingMs += sums.generatingMs;
  }

  subtract(sums: FigureSums): void {
    for (const name of FIGURE_SUMS) this[name] -= sums[name];
  }

  /** @param sums in the order of `FIGURE_SUMS`, from an index on */
  addList(sums: ArrayLike<number>, first = 0): void {
    let at = first;
    for (const name of FIGURE_SUMS) this[name] += sums[at++] as number;
  }
}

/** Counts as stores keep them: their sums, and both sketches encoded. */
export interface EncodedCounts extends FigureSums {
  readonly latency: Uint8Array;
  readonly firstByte: Uint8Array;
}

/** Sums and sketches of a group while they are added up. */
export class FigureCounts {
  readonly sums = new Sums();
  readonly latency = new QuantileSketch();
  readonly firstByte = new QuantileSketch();

  addFigure(figure: Figure): void {
    this.sums.add(figure);
    this.latency.add(figure.latencyBin);
    if (figure.firstByteBin !== null) this.firstByte.add(figure.firstByteBin);
  }

  merge({ sums, latency, firstByte }: FigureCounts): void {
    this.sums.add(sums);
    this.latency.merge(latency);
    this.firstByte.merge(firstByte);
  }

  /** Takes requests off that this has; the other counts must not change afterwards. */
  subtract({ sums, latency, firstByte }: FigureCounts): void {
    this.sums.subtract(sums);
    this.latency.subtract(latency);
    this.firstByte.subtract(firstByte);
  }

  addEncoded(counts: EncodedCounts): void {
    this.sums.add(counts);
    this.latency.mergeEncoded(counts.latency);
    this.firstByte.mergeEncoded(counts.firstByte);
  }

  /** Adds sums of an archived segment: see `archivedFigureOf`. */
  addArchived(added: Readonly<Record<string, number>>): void {
    for (const [name, value] of Object.entries(added)) {
      const [, sketch, bin] = BIN.exec(name) ?? [];
      if (sketch) (sketch === 'latency' ? this.latency : this.firstByte).add(Number(bin), value);
      else this.sums[name as keyof FigureSums] += value;
    }
  }

  figures(): Figures {
    return {
      sums: { ...this.sums },
      latencyMs: this.latency.percentiles(),
      firstByteMs: this.firstByte.percentiles(),
    };
  }
}

const BIN = /^(latency|firstByte)(\d+)$/;

/** Null and the group of the rest are keys as well; ids begin with `=`, so that none is taken for them. */
export type GroupKey = string;
export const NONE: GroupKey = '';
export const REST: GroupKey = 'rest';
export const keyOf = (id: string | null): GroupKey => (id === null ? NONE : `=${id}`);
export const idOf = (key: GroupKey, restId: string): string | null =>
  key === NONE ? null : key === REST ? restId : key.slice(1);

/** The counts of each group. */
export class GroupedCounts {
  readonly groups = new Map<GroupKey, FigureCounts>();

  of(key: GroupKey): FigureCounts {
    let counts = this.groups.get(key);
    if (!counts) {
      counts = new FigureCounts();
      this.groups.set(key, counts);
    }
    return counts;
  }

  /** See `FigureCounts.subtract`. */
  subtract(other: GroupedCounts): void {
    for (const [key, counts] of other.groups) this.of(key).subtract(counts);
  }

  total(): FigureCounts {
    const total = new FigureCounts();
    for (const counts of this.groups.values()) total.merge(counts);
    return total;
  }
}

/** The counts of one step: sums by group, and the figures of all groups. */
export class StepCounts {
  readonly groups = new Map<GroupKey, Sums>();
  readonly total = new FigureCounts();

  of(key: GroupKey): Sums {
    let sums = this.groups.get(key);
    if (!sums) {
      sums = new Sums();
      this.groups.set(key, sums);
    }
    return sums;
  }
}

/** Above this number of steps, rows are read twice, so that only the groups that are shown are counted in each of them. */
export const MANY_STEPS = 1_000;

/** One for each step. */
export const newSteps = (edges: readonly Instant[]): StepCounts[] => edges.slice(1).map(() => new StepCounts());

/** The number of the step that contains a moment. */
export function stepOf(edges: readonly Instant[], at: number): number {
  let [low, high] = [0, edges.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((edges[middle] as number) <= at) low = middle;
    else high = middle;
  }
  return low;
}

/** A value that is called as the rest is counted with it: one id is one group. */
const isOfRest = (key: GroupKey): boolean => key === REST || key === keyOf(OTHER);

/** The groups of each step: the largest ones; the sums of all others are one. */
export const groupsOfSteps = (whole: GroupedCounts, request: BreakdownRequest): readonly GroupKey[] =>
  largestGroups(whole, Math.min(request.maxGroups, request.maxGroupsOfSteps ?? request.maxGroups));

/** Those with the most requests first. */
function largestGroups(whole: GroupedCounts, count: number): GroupKey[] {
  const named = [...whole.groups].filter(([key, { sums }]) => !isOfRest(key) && sums.requests > 0);
  named.sort(([a, left], [b, right]) => right.sums.requests - left.sums.requests || (a < b ? -1 : 1));
  return named.slice(0, count).map(([key]) => key);
}

/** Groups whose sketches are merged in one turn. */
const GROUPS_OF_TURN = 8;

/** The result of a breakdown: the largest groups, and all others as one, so that the sums hold. */
export function* breakdownOf(
  request: BreakdownRequest,
  whole: GroupedCounts,
  steps: FigureSteps,
  position: Position,
): Turns<Breakdown> {
  const shown = new Set(largestGroups(whole, request.maxGroups));
  const result = new GroupedCounts();
  yield* forEachInTurns(
    whole.groups,
    ([key, each]) => {
      if (each.sums.requests > 0) result.of(shown.has(key) ? key : REST).merge(each);
    },
    GROUPS_OF_TURN,
  );
  yield;
  const groups: GroupFigures[] = [];
  yield* forEachInTurns(
    [...shown, REST],
    (key) => {
      const each = result.groups.get(key);
      if (each) groups.push({ id: idOf(key, OTHER), isRest: key === REST, ...each.figures() });
    },
    GROUPS_OF_TURN,
  );
  return {
    groups,
    steps,
    total: result.total().figures(),
    position,
  };
}
