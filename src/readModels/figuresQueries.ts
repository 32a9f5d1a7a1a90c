import type { FigureSums, Grouping } from '../../projections/figures.ts';
import type { Instant, Position } from '../domain/core/brands.ts';
import type { Percentiles } from '../domain/figures/quantileSketch.ts';
import type { ArchivedDay } from './archivedDays.ts';
import type { RequestLogFilter } from './requestLogQueries.ts';
import type { UpTo } from './upTo.ts';

/** Sums over requests with their quantiles; those of nothing are null. */
export interface Figures {
  readonly sums: FigureSums;
  readonly latencyMs: Percentiles | null;
  readonly firstByteMs: Percentiles | null;
}

/** The figures of one group; `isRest` marks the one of all further groups. */
export interface GroupFigures extends Figures {
  readonly id: string | null;
  readonly isRest: boolean;
}

/** The figures of one step in time. */
export interface FigureStep {
  readonly at: Instant;
  readonly total: Figures;
  /** In the order of the groups; without those that have no request in it. */
  readonly groups: readonly { readonly id: string | null; readonly isRest: boolean; readonly sums: FigureSums }[];
}

/**
 * The figures of all steps as numbers: a year by hours has 100,000 groups, which take as objects longer to pass on than to add up.
 * `figureSteps` reads them.
 */
export interface FigureSteps {
  /** The groups of each step, the rest last. */
  readonly groups: readonly { readonly id: string | null; readonly isRest: boolean }[];
  /** For each step the sums of its total and of each group, in the order of `FIGURE_SUMS`. */
  readonly sums: Float64Array;
  /** For each step p50, p95 and p99 of its latency, and of its time to the first byte; NaN: of nothing. */
  readonly percentiles: Float64Array;
}

export interface Breakdown {
  /** Those with the most requests first, the rest last. */
  readonly groups: readonly GroupFigures[];
  readonly steps: FigureSteps;
  readonly total: Figures;
  /** The result includes exactly the requests up to here. */
  readonly position: Position;
  /** Days in the range whose requests are archived; what they add is counted where no filter needs their rows. */
  readonly archived?: readonly ArchivedDay[];
}

export interface BreakdownRequest {
  readonly by: Grouping;
  /** Without `search`, `since` and `until`. */
  readonly filter: RequestLogFilter;
  /** The first moments of all steps in order, and the first moment after the last one. */
  readonly edges: readonly Instant[];
  /** The number of groups; all others are one. */
  readonly maxGroups: number;
  /** The number of groups of each step, which is `maxGroups` unless there are many steps. */
  readonly maxGroupsOfSteps?: number;
  /** Shared by threads: the query ends with an error some milliseconds after its number is no longer 0. Stores may ignore it. */
  readonly cancellation?: Int32Array<SharedArrayBuffer>;
}

export const isCancelled = ({ cancellation }: Pick<BreakdownRequest, 'cancellation'>): boolean =>
  cancellation !== undefined && Atomics.load(cancellation, 0) !== 0;

/** Figures of requests by what they have in common. Every adapter passes one test suite. */
export interface FiguresQueries {
  /** @param upTo as for `RequestLogQueries` */
  breakdown(request: BreakdownRequest, upTo: UpTo): Promise<Breakdown>;
}
