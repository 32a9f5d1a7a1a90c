import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Period } from '../../../projections/periods.ts';
import type { Instant } from '../../domain/core/brands.ts';
import { periodNumber } from './rollUpTable.ts';

/** Cached periods, some kilobytes each. */
const MAX_ENTRIES = 3_000;

/** Kind ids and their numbers of requests, alternating. */
type Counts = Uint32Array;

/**
 * Caches the number of requests of each kind per period. Reading it from the roll-up takes time in proportion to the number of
 * kinds, and the dashboard queries the same hours and days repeatedly; past periods hardly ever change.
 */
export class RequestKindCounts {
  readonly #starts: StatementSync;
  readonly #kinds: StatementSync;
  readonly #cache = new Map<string, Counts>();

  constructor(database: DatabaseSync) {
    this.#starts = database.prepare(
      'SELECT DISTINCT start FROM requestsByErrorCode WHERE period = ? AND start >= ? AND start < ?',
    );
    this.#starts.setReturnArrays(true);
    this.#kinds = database.prepare('SELECT kindId, requests FROM requestsByKind WHERE period = ? AND start = ?');
    this.#kinds.setReturnArrays(true);
  }

  /** Adds the counts of all periods that begin within a time range. */
  addTo(sums: Map<number, number>, period: Period, from: Instant, to: Instant): void {
    for (const [start] of this.#starts.all(periodNumber(period), from, to) as unknown as [Instant][]) {
      const counts = this.#of(period, start);
      for (let index = 0; index < counts.length; index += 2) {
        const kind = counts[index] as number;
        sums.set(kind, (sums.get(kind) ?? 0) + (counts[index + 1] as number));
      }
    }
  }

  /** Drops the cached counts of a period that has changed. */
  forget(period: Period, start: Instant): void {
    this.#cache.delete(keyOf(period, start));
  }

  #of(period: Period, start: Instant): Counts {
    const key = keyOf(period, start);
    const cached = this.#cache.get(key);
    if (cached) return cached;
    if (this.#cache.size >= MAX_ENTRIES) this.#cache.clear();
    const rows = this.#kinds.all(periodNumber(period), start) as unknown as [kind: number, count: number][];
    const counts = Uint32Array.from(rows.flat());
    this.#cache.set(key, counts);
    return counts;
  }
}

const keyOf = (period: Period, start: Instant) => `${period} ${start}`;
