import { roundPercent } from './usageWindow.ts';

interface RequestCounts {
  readonly requests: number;
  readonly errors: number;
  /** Refused requests that the log counts per minute instead of recording each; all of them are errors. */
  readonly unlogged: number;
}

/** Errors in percent of all requests; 0 without requests. */
export function errorRate({ requests, errors, unlogged }: RequestCounts): number {
  const all = requests + unlogged;
  return all === 0 ? 0 : roundPercent(((errors + unlogged) / all) * 100);
}

/** Error codes with their number of requests, most frequent first, then by name. */
export const byFrequency = (counts: Readonly<Record<string, number>>): [code: string, requests: number][] =>
  Object.entries(counts).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
