import type { Period } from '../../projections/periods.ts';
import { type Instant, instant, type Position } from '../domain/core/brands.ts';
import { MAX_INSTANT, type PeriodRange, splitByPeriod } from './periodRanges.ts';

/**
 * Separates the rows up to a position from later ones by their times. Requests end in another order than they arrive in, so
 * around the position both kinds of rows mix; sums are whole before it.
 */
export interface Cut {
  readonly asOf: Position;
  /** Every row of an earlier time is included. */
  readonly from: Instant;
  /** No row of this time or a later one is included. */
  readonly to: Instant;
}

/** Positions whose rows share one span of times. */
export const SPAN_POSITIONS = 256;

/** The number of the span that a position belongs to. */
export const spanOf = (position: number): number => Math.floor(position / SPAN_POSITIONS);

/**
 * The cut at a position; it may be wider than necessary by the rows of one span.
 * @param earliest time of a row in the span of the position or a later one; null when there is none
 * @param latest time of a row in the span of the position or an earlier one; null when there is none
 */
export const cutBetween = (asOf: Position, earliest: number | null, latest: number | null): Cut => ({
  asOf,
  from: instant(Math.min(earliest ?? MAX_INSTANT, MAX_INSTANT)),
  to: instant(latest === null ? 0 : latest + 1),
});

/** As `splitByPeriod`, with the rows around a cut as a range without period; those must be compared with its position. */
export function splitAtCut(
  from: Instant,
  to: Instant,
  cut: Cut | undefined,
  periods?: readonly Period[],
): PeriodRange[] {
  if (!cut) return splitByPeriod(from, to, periods);
  const edge = { period: undefined, from: instant(Math.max(from, cut.from)), to: instant(Math.min(to, cut.to)) };
  return [...(edge.from < edge.to ? [edge] : []), ...splitByPeriod(from, instant(Math.min(to, cut.from)), periods)];
}

/** The last position that rows may have. */
export const lastPositionOf = (cut: Cut | undefined): number => cut?.asOf ?? Number.MAX_SAFE_INTEGER;

/** The first position that a page of the history leaves out, given that of its cursor. */
export const beforeAsOf = (before: Position | null, asOf: Position | null): Position | null =>
  asOf === null ? before : (Math.min(before ?? Number.MAX_SAFE_INTEGER, asOf + 1) as Position);
