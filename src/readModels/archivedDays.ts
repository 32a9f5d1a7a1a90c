import { type Instant, instant } from '../domain/core/brands.ts';
import type { Cut } from './cut.ts';

/** An archived day, as queries name it. */
export interface ArchivedDay {
  /** UTC, for example `2026-11-01`. */
  readonly day: string;
  /** The name of the archive file. */
  readonly file: string;
  readonly events: number;
}

const DAY_MS = 86_400_000;

/** When an archived day is over. */
export const endOfArchivedDay = ({ day }: ArchivedDay): Instant => (Date.parse(`${day}T00:00:00Z`) + DAY_MS) as Instant;

/** The archived days within a time range, both ends included. */
export const archivedWithin = (
  days: readonly ArchivedDay[],
  { since, until }: { readonly since?: Instant; readonly until?: Instant },
): ArchivedDay[] =>
  days.filter((day) => {
    const end = endOfArchivedDay(day);
    return (since === undefined || end > since) && (until === undefined || end - DAY_MS <= until);
  });

/**
 * Moves a cut behind archived days: their sums have no later rows and cannot be compared row by row. Rows of a day that was restored,
 * or of a request that was open at midnight, would otherwise place the cut before them.
 * @param upTo the last archived position; a cut before it is left alone
 */
export function cutAfterArchived(cut: Cut, days: readonly ArchivedDay[], upTo: number): Cut {
  if (cut.asOf < upTo || days.length === 0) return cut;
  const from = instant(Math.max(cut.from, ...days.map(endOfArchivedDay)));
  return { ...cut, from, to: instant(Math.max(cut.to, from)) };
}

/**
 * The part of a result that names the archived days within its range; nothing without such days.
 * @param cut of the moment that the query is about: later days are none of its results
 */
export function archivedAsOf(
  days: readonly ArchivedDay[],
  range: Parameters<typeof archivedWithin>[1],
  cut: Cut | undefined,
) {
  const until = cut ? instant(Math.min(range.until ?? cut.to, cut.to)) : range.until;
  const archived = archivedWithin(days, { ...range, ...(until !== undefined && { until }) });
  return archived.length > 0 ? { archived } : {};
}
