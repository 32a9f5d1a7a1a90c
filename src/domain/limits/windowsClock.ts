import { type Instant, instant, type Position } from '../core/brands.ts';

/**
 * The clock that the windows of limits follow, folded from the log: the highest time at which a limit was checked or created.
 * It goes back only when an operator accepts the clock (docs/decisions/0057-clock-of-limit-windows.md).
 */
export interface WindowsClock {
  readonly time: Instant;
  /** The last acceptance; null when there was none. */
  readonly accepted: { readonly position: Position; readonly time: Instant } | null;
}

/** The clock of a log without limits. */
export const initialState: WindowsClock = { time: instant(0), accepted: null };

/** Admissions of earlier versions (`ADMIT_VERSION`) followed the clock of their node: they count when the request was made. */
const SINCE_VERSION = 3;

/** The times of a request, as its events record them. */
interface RequestTimes {
  readonly requestedAt: Instant;
  /** Absent when no limit applied. */
  readonly admission?: { readonly asOf: Instant; readonly decidedAt: Position; readonly v: number } | undefined;
}

/** Whether an admission was made by the windows' clock: otherwise only the time of the request counts. @param v its version */
export const followsWindowsClock = (v: number): boolean => v >= SINCE_VERSION;

/**
 * The time whose window a request counts in: that of its admission. If it was admitted before the last acceptance by a clock
 * that ran ahead, it counts in the window of the acceptance.
 */
export function countedAt(
  { accepted }: Pick<WindowsClock, 'accepted'>,
  { requestedAt, admission }: RequestTimes,
): Instant {
  if (admission === undefined || !followsWindowsClock(admission.v)) return requestedAt;
  const { asOf, decidedAt } = admission;
  return accepted !== null && decidedAt < accepted.position && asOf > accepted.time ? accepted.time : asOf;
}

/** Moves the clock to `time` unless it is there already. */
export const advanceTo = (clock: WindowsClock, time: Instant): WindowsClock =>
  time > clock.time ? { time, accepted: clock.accepted } : clock;

/** Sets the clock to `time`, also back: an operator has accepted it. */
export const acceptedAt = (time: Instant, position: Position): WindowsClock => ({ time, accepted: { position, time } });

/** The time in whose window a request is admitted, and whose figures are shown: never before the windows' clock. */
export const windowsTime = ({ time }: WindowsClock, now: Instant): Instant => (now > time ? now : time);
