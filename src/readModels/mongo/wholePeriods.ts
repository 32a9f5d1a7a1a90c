import type { Period } from '../../../projections/periods.ts';
import type { Instant } from '../../domain/core/brands.ts';
import type { PeriodRange } from '../periodRanges.ts';

/** A range that sums exist for. */
export type WholePeriods = PeriodRange & { readonly period: Period };

const isWhole = (range: PeriodRange): range is WholePeriods => range.period !== undefined;

/** Separates the ranges of whole periods from those whose rows have to be read. */
export const separate = (ranges: readonly PeriodRange[]) => ({
  whole: ranges.filter(isWhole),
  partial: ranges.filter((range) => !isWhole(range)),
});

/**
 * The condition on sums within any of the ranges, of which there is at least one. One query for all of them, because a time
 * range consists of up to seven, and every query is a round trip (and in FerretDB a scan of the collection).
 */
export const sumsWithin = (ranges: readonly WholePeriods[]) => ({
  $or: ranges.map(({ period, from, to }) => ({ period, start: { $gte: from, $lt: to } })),
});

/** The range that the period with this start belongs to. */
export const rangeAt = (ranges: readonly WholePeriods[], start: Instant): WholePeriods =>
  ranges.find(({ from, to }) => from <= start && start < to) as WholePeriods;
