import type { DatabaseSync } from 'node:sqlite';

/** The streams of requests of one UTC day that have rows in the log. */
export interface RequestDay {
  /** For example `2026-11-01`. */
  readonly day: string;
  readonly streams: readonly string[];
}

const DAY_MS = 86_400_000;
/** `requests-<node>.<boot>_<yyyymmdd>`, and the streams that replace one whose events were parked. */
const REQUEST_STREAM = /^requests-.*_(\d{4})(\d\d)(\d\d)(?:_\d+)?$/;

/** The UTC day of a time in milliseconds. */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** When a UTC day is over, in milliseconds. */
export const endOfDay = (day: string): number => Date.parse(`${day}T00:00:00Z`) + DAY_MS;

/** The days of requests in a log, the earliest first. Reads one row for each stream. */
export function requestDays(database: DatabaseSync): RequestDay[] {
  // The next stream is looked up in the index: listing all revisions would read a hundred thousand rows for each day.
  const rows = database
    .prepare(
      `WITH RECURSIVE names(stream) AS (
         SELECT min(stream) FROM events WHERE stream >= 'requests-' AND stream < 'requests.'
         UNION ALL
         SELECT (SELECT min(stream) FROM events WHERE stream > names.stream AND stream < 'requests.') FROM names
         WHERE names.stream IS NOT NULL
       ) SELECT stream FROM names WHERE stream IS NOT NULL`,
    )
    .all() as { stream: string }[];
  const byDay = new Map<string, string[]>();
  for (const { stream } of rows) {
    const [, year, month, date] = REQUEST_STREAM.exec(stream) ?? [];
    if (year === undefined) continue;
    const day = `${year}-${month}-${date}`;
    byDay.set(day, [...(byDay.get(day) ?? []), stream]);
  }
  return [...byDay].map(([day, streams]) => ({ day, streams })).toSorted((a, b) => (a.day < b.day ? -1 : 1));
}
