import type { Schemas } from '#lib/api/client.ts';

export type Entry = Schemas['RequestLogEntry'];

/** The order of the API unless it is sorted: latest arrival first; at the same time, latest end first. */
const newestFirst = (a: Entry, b: Entry) =>
  a.requested_at === b.requested_at ? b.position - a.position : a.requested_at < b.requested_at ? 1 : -1;

/** The rows of a page that are not among those that are loaded. */
export function freshRows(rows: readonly Entry[], found: readonly Entry[]): readonly Entry[] {
  const known = new Set(rows.map(({ request_id }) => request_id));
  return found.filter(({ request_id }) => !known.has(request_id));
}

/**
 * Merges rows, newest first, without duplicates.
 * @returns the same array when none of them is new
 */
export function mergeRows(rows: readonly Entry[], found: readonly Entry[]): readonly Entry[] {
  const fresh = freshRows(rows, found);
  return fresh.length === 0 ? rows : [...rows, ...fresh].sort(newestFirst);
}

/** Tone of a status: good for 200, warning for client errors, bad for server errors. */
export function toneOf(status: string): 'good' | 'warn' | 'bad' {
  if (status === '200') return 'good';
  return status.startsWith('4') ? 'warn' : 'bad';
}
