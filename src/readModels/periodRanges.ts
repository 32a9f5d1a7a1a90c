import { endOf, LONGER_PERIODS, type Period, startOf } from '../../projections/periods.ts';
import { type Instant, instant } from '../domain/core/brands.ts';

/** Whole periods next to each other, or (without `period`) a stretch shorter than the shortest period. */
export interface PeriodRange {
  readonly period: Period | undefined;
  readonly from: Instant;
  /** First moment behind it. */
  readonly to: Instant;
}

const LENGTHS_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

/** The longest period of which a step of time holds a whole number. */
export const longestPeriodDividing = (stepMs: number): 'minute' | 'hour' | 'day' =>
  (['day', 'hour'] as const).find((period) => stepMs % LENGTHS_MS[period] === 0) ?? 'minute';

/** The beginning of a month that no request sees. */
export const MAX_INSTANT = instant(Date.UTC(9999, 0));

/**
 * Cuts a stretch of time into as few pieces as its roll-ups allow: months in the middle, then days, then hours, and what
 * is left at its open edges.
 * @param periods that the roll-up sums over, the shortest first
 * @returns the latest first
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
