import { momentFrom } from '#lib/filters/timeRange.ts';

/** A change that a moment can be chosen by. */
export interface Stop {
  readonly position: number;
  /** ISO 8601 */
  readonly time: string;
  readonly sentence: string;
}

/** Reads `at` as the API does: a position of the log, or a time. Undefined when it is neither. */
export function momentOf(at: string | null): { position: number } | { time: string } | undefined {
  if (at === null) return undefined;
  if (/^\d{1,15}$/.test(at)) return { position: Number(at) };
  const time = momentFrom(at);
  return time === null ? undefined : { time };
}

/**
 * The last change that such a moment has seen; -1 when it lies before all of them.
 * @param stops the oldest first
 */
export function stopAt(stops: readonly Stop[], at: string | null): number {
  const moment = momentOf(at);
  if (!moment) return stops.length - 1;
  return stops.findLastIndex((stop) =>
    'position' in moment ? stop.position <= moment.position : stop.time <= moment.time,
  );
}

/** How `at` names a stop; -1 is the moment before the first of them. */
export function atOf(stops: readonly Stop[], index: number): string {
  const stop = stops[index];
  if (stop) return String(stop.position);
  return String(Math.max(0, (stops[0]?.position ?? 1) - 1));
}
