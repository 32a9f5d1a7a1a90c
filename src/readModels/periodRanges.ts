import { endOf, LONGER_PERIODS, type Period, startOf } from '../../projections/periods.ts';
import { type Instant, instant } from '../domain/core/brands.ts';

/** A range of whole periods, or (without `period`) a range shorter than the shortest period. */
export interface PeriodRange {
  readonly period: Period | undefined;
  readonly from: Instant;
  /** Exclusive. */
  readonly to: Instant;
}

const LENGTHS_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

/** The longest period that divides a step. */
export const longestPeriodDividing = (stepMs: number): 'minute' | 'hour' | 'day' =>
  (['day', 'hour'] as const).find((period) => stepMs % LENGTHS_MS[period] === 0) ?? 'minute';

/** The periods that steps of this one consist of, the shortest first. */
export const SHORTER_PERIODS = { day: ['minute', 'hour'], hour: ['minute'], minute: [] } as const;

/** Later than any request; the start of a month. */
export const MAX_INSTANT = instant(Date.UTC(9999, 0));

/**
 * Splits a time range into as few ranges as the roll-up allows: months in the middle, then days, then hours, and the rest at
 * both edges.
 * @param periods the periods of the roll-up, the shortest first
 * @returns the ranges, the latest first
 */
export function splitByPeriod(from: Instant, to: Instant, periods: readonly Period[] = LONGER_PERIODS): PeriodRange[] {
  if (from >= to) return [];
  const period = periods.at(-1);
  if (!period) return [{ period, from, to }];
  const shorter = periods.slice(0, -1);
  const isAligned = startOf(period, from) === from;
  const innerFrom = isAligned ? from : endOf(period, startOf(period, from));
  const innerTo = startOf(period, to);
  if (innerFrom >= innerTo) return splitByPeriod(from, to, shorter);
  return [
    ...splitByPeriod(innerTo, to, shorter),
    { period, from: innerFrom, to: innerTo },
    ...splitByPeriod(from, innerFrom, shorter),
  ];
}
