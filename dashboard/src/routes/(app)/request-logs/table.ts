import type { Schemas } from '#lib/api/client.ts';

export type Entry = Schemas['RequestLogEntry'];

/** Which rows are to be drawn, and how much room the others take. */
export interface Window {
  readonly first: number;
  /** The first one behind it. */
  readonly end: number;
  readonly above: number;
  readonly below: number;
}

/**
 * The rows that can be seen, with some more around them.
 * @param view how far the list has been scrolled past its top, and how much of it can be seen, in pixels
 */
export function windowOf(count: number, rowHeight: number, view: { top: number; height: number }): Window {
  const around = Math.ceil(view.height / rowHeight / 2) + 4;
  const first = Math.min(count, Math.max(0, Math.floor(view.top / rowHeight) - around));
  const end = Math.max(first, Math.min(count, Math.ceil((view.top + view.height) / rowHeight) + around));
  return { first, end, above: first * rowHeight, below: (count - end) * rowHeight };
}

/** The order of the API: the request that arrived last comes first, of one moment the one that ended last. */
const newestFirst = (a: Entry, b: Entry) =>
  a.requested_at === b.requested_at ? b.position - a.position : a.requested_at < b.requested_at ? 1 : -1;

/**
 * Rows of another answer put where they belong; each request stands there once.
 * @returns the same list when there is nothing new among them
 */
export function merged(rows: readonly Entry[], found: readonly Entry[]): readonly Entry[] {
  const known = new Set(rows.map(({ request_id }) => request_id));
  const fresh = found.filter(({ request_id }) => !known.has(request_id));
  if (fresh.length === 0) return rows;
  return [...rows, ...fresh].sort(newestFirst);
}

/** Good, worth a look, or wrong: by who has to do something about it. */
export function toneOf(status: string): 'good' | 'warn' | 'bad' {
  if (status === '200') return 'good';
  return status.startsWith('4') ? 'warn' : 'bad';
}
