import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Period } from '../../../projections/periods.ts';
import type { Instant } from '../../domain/core/brands.ts';
import { periodNumber } from './rollUpTable.ts';

/** Cached periods, some kilobytes each. */
const MAX_ENTRIES = 3_000;

/** Ids of groups and their numbers of requests, alternating. */
type Counts = Uint32Array;

/**
 * Caches the number of requests of each group of a roll-up per period. Reading it takes time in proportion to the number of
 * groups, and the dashboard queries the same hours and days repeatedly; past periods hardly ever change.
 */
export class PeriodCounts {
  readonly #starts: StatementSync;
  readonly #groups: StatementSync;
  readonly #cache = new Map<string, Counts>();

  /** @param group the column of the group's id */
  constructor(
    database: DatabaseSync,
    table: 'requestsByKind' | 'requestsByAttempt' | 'requestsBySource',
    group: string,
  ) {
    this.#starts = database.prepare(
      'SELECT DISTINCT start FROM requestsByErrorCode WHERE period = ? AND start >= ? AND start < ?',
    );
    this.#starts.setReturnArrays(true);
    this.#groups = database.prepare(`SELECT ${group}, requests FROM ${table} WHERE period = ? AND start = ?`);
    this.#groups.setReturnArrays(true);
  }

  /** Passes on the counts of each period that begins within a time range. */
  forEach(period: Period, from: Instant, to: Instant, add: (group: number, count: number) => void): void {
    for (const [start] of this.#starts.all(periodNumber(period), from, to) as unknown as [Instant][]) {
      const counts = this.#of(period, start);
      for (let index = 0; index < counts.length; index += 2) add(counts[index] as number, counts[index + 1] as number);
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
    const rows = this.#groups.all(periodNumber(period), start) as unknown as [group: number, count: number][];
    const counts = Uint32Array.from(rows.flat());
    this.#cache.set(key, counts);
    return counts;
  }
}

const keyOf = (period: Period, start: Instant) => `${period} ${start}`;
