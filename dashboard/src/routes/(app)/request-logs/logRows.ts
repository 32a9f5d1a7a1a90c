import type { Schemas } from '#lib/api/client.ts';

export type Entry = Schemas['RequestLogEntry'];

/** The rows to render, and the height of the others in pixels. */
export interface RenderedRows {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
  readonly above: number;
  readonly below: number;
}

/**
 * The visible rows plus some above and below.
 * @param view scroll position and visible height, in pixels
 */
export function renderedRows(count: number, rowHeight: number, view: { top: number; height: number }): RenderedRows {
  const around = Math.ceil(view.height / rowHeight / 2) + 4;
  const first = Math.min(count, Math.max(0, Math.floor(view.top / rowHeight) - around));
  const end = Math.max(first, Math.min(count, Math.ceil((view.top + view.height) / rowHeight) + around));
  return { first, end, above: first * rowHeight, below: (count - end) * rowHeight };
}

/** The order of the API: latest arrival first; at the same time, latest end first. */
const newestFirst = (a: Entry, b: Entry) =>
  a.requested_at === b.requested_at ? b.position - a.position : a.requested_at < b.requested_at ? 1 : -1;

/**
 * Merges rows in the order of the API, without duplicates.
 * @returns the same array when none of them is new
 */
export function mergeRows(rows: readonly Entry[], found: readonly Entry[]): readonly Entry[] {
  const known = new Set(rows.map(({ request_id }) => request_id));
  const fresh = found.filter(({ request_id }) => !known.has(request_id));
  if (fresh.length === 0) return rows;
  return [...rows, ...fresh].sort(newestFirst);
}

/** Tone of a status: good for 200, warning for client errors, bad for server errors. */
export function toneOf(status: string): 'good' | 'warn' | 'bad' {
  if (status === '200') return 'good';
  return status.startsWith('4') ? 'warn' : 'bad';
}
