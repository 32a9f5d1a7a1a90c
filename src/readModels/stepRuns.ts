import { FIGURE_PERIODS } from '../../projections/figures.ts';
import { type Period, startOf } from '../../projections/periods.ts';
import { type Instant, instant } from '../domain/core/brands.ts';
import type { Cut } from './cut.ts';
import { splitByPeriod } from './periodRanges.ts';

/** Consecutive steps of one length that consist of whole periods; a part of a step is a run as well. */
export interface StepRun {
  readonly period: Period;
  readonly from: Instant;
  /** Exclusive. */
  readonly to: Instant;
  /** The number of the step that it begins with. */
  readonly firstStep: number;
  readonly stepMs: number;
}

export interface StepRuns {
  readonly runs: readonly StepRun[];
  /** Time ranges whose rows must be read: parts of a quarter of an hour, and what is around a cut. */
  readonly rows: readonly { readonly from: Instant; readonly to: Instant }[];
}

/** Splits steps into as few runs as possible, each of the longest periods that fit: a run is one query, whatever its number of steps. */
export function stepRuns(edges: readonly Instant[], cut: Cut | undefined): StepRuns {
  const runs: { -readonly [Name in keyof StepRun]: StepRun[Name] }[] = [];
  const rows: { from: Instant; to: Instant }[] = [];
  const addRows = (from: Instant, to: Instant): void => {
    const last = rows.at(-1);
    if (last?.to === from) last.to = to;
    else if (from < to) rows.push({ from, to });
  };
  const addRun = (period: Period, from: Instant, to: Instant, step: number): void => {
    const last = runs.at(-1);
    const continues = last?.period === period && last.to === from && last.stepMs === to - from;
    if (continues) last.to = to;
    else runs.push({ period, from, to, firstStep: step, stepMs: to - from });
  };
  for (let step = 0; step + 1 < edges.length; step++) {
    const [from, to] = [edges[step] as Instant, edges[step + 1] as Instant];
    const wholeTo = cut ? instant(Math.max(from, Math.min(to, cut.from))) : to;
    const period = longestPeriod(from, wholeTo);
    if (period && from < wholeTo) addRun(period, from, wholeTo, step);
    else {
      for (const range of splitByPeriod(from, wholeTo, FIGURE_PERIODS).toReversed()) {
        if (range.period) addRun(range.period, range.from, range.to, step);
        else addRows(range.from, range.to);
      }
    }
    if (cut) addRows(wholeTo, instant(Math.max(wholeTo, Math.min(to, cut.to))));
  }
  return { runs, rows };
}

/** The longest period that begins at both moments, which each shorter one then does as well. */
function longestPeriod(from: Instant, to: Instant): Period | undefined {
  let longest: Period | undefined;
  for (const period of FIGURE_PERIODS) {
    if (startOf(period, from) !== from || startOf(period, to) !== to) break;
    longest = period;
  }
  return longest;
}

/** The number of the step that a period of a run belongs to. */
export const stepIn = ({ from, firstStep, stepMs }: StepRun, start: number): number =>
  firstStep + Math.floor((start - from) / stepMs);
