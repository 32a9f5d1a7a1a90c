import { momentFrom } from '#lib/filters/timeRange.ts';

/** A change at which the time control can stop. */
export interface Stop {
  readonly position: number;
  /** ISO 8601 */
  readonly time: string;
  readonly sentence: string;
}

/** Reads `at` as the API does: a position of the log, or a time. Undefined for anything else. */
export function momentOf(at: string | null): { position: number } | { time: string } | undefined {
  if (at === null) return undefined;
  if (/^\d{1,15}$/.test(at)) return { position: Number(at) };
  const time = momentFrom(at);
  return time === null ? undefined : { time };
}

/**
 * Index of the last change up to a moment; -1 before the first change.
 * @param stops oldest first
 */
export function stopAt(stops: readonly Stop[], at: string | null): number {
  const moment = momentOf(at);
  if (!moment) return stops.length - 1;
  return stops.findLastIndex((stop) =>
    'position' in moment ? stop.position <= moment.position : stop.time <= moment.time,
  );
}

/** `at` of a stop; -1 means before the first stop. */
export function atOf(stops: readonly Stop[], index: number): string {
  const stop = stops[index];
  if (stop) return String(stop.position);
  return String(Math.max(0, (stops[0]?.position ?? 1) - 1));
}
