import { type Instant, instant, type Position, position } from '../core/brands.ts';

/** Part of the log between two jumps of a clock; times go forward in it. */
export interface Stretch {
  /** Position before its first event. */
  readonly after: Position;
  /** When it began. */
  readonly from: Instant;
  /** The latest time of its events; an event of a node whose clock lags does not lower it. */
  readonly latest: Instant;
}

/** Which events belong to a past time: those up to `after`, and then while their latest time is not later, up to `until`. */
export interface PartOfLog {
  readonly after: Position;
  readonly until: Position;
}

const BEFORE_ALL = instant(Number.MIN_SAFE_INTEGER);

/** The whole log, while no clock has jumped. */
export const FIRST_STRETCH: Stretch = { after: position(0), from: BEFORE_ALL, latest: BEFORE_ALL };

/**
 * @param stretches in the order of the log; the last one may go on
 * @returns where to look for the events up to `time`: in the last stretch that includes it, or in all of the one before it
 */
export function partAt(stretches: readonly Stretch[], time: Instant): PartOfLog {
  const includes = ({ from, latest }: Stretch, index: number) =>
    from <= time && (time <= latest || index === stretches.length - 1);
  let at = stretches.findLastIndex(includes);
  if (at < 0) at = stretches.findLastIndex(({ latest }) => latest < time);
  const { after } = stretches[Math.max(0, at)] as Stretch;
  const next = stretches[Math.max(0, at) + 1];
  return { after, until: next?.after ?? position(Number.MAX_SAFE_INTEGER) };
}

/** The stretches that had begun by a position, at least one. */
export const stretchesUpTo = (stretches: readonly Stretch[], upTo: Position): readonly Stretch[] =>
  stretches.filter(({ after }, index) => index === 0 || after < upTo);
