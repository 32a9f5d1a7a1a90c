import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Period } from '../../../projections/periods.ts';
import type { Instant } from '../../domain/core/brands.ts';
import { periodNumber } from './rollUpTable.ts';

/** Cached periods, some kilobytes each. */
const MAX_ENTRIES = 3_000;

/** Ids of groups and their numbers of requests. */
interface Counts {
  readonly groups: Uint32Array;
  readonly requests: Uint32Array;
}

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
      'SELECT DISTINCT start FROM requestsByErrorCode WHERE period = ? AND start >= ? AND start < ? ORDER BY start',
    );
    this.#starts.setReturnArrays(true);
    // As one text for each column: to make a row of each group takes three times as long.
    this.#groups = database.prepare(
      `SELECT json_group_array(${group}), json_group_array(requests) FROM ${table} WHERE period = ? AND start = ?`,
    );
    this.#groups.setReturnArrays(true);
  }

  /** Passes on the counts of each period that begins within a time range. */
  forEach(period: Period, from: Instant, to: Instant, add: (group: number, count: number) => void): void {
    for (const start of this.#startsIn(period, from, to)) {
      const { groups, requests } = this.#of(period, start);
      for (let index = 0; index < groups.length; index++) add(groups[index] as number, requests[index] as number);
    }
  }

  /**
   * The numbers of requests of some groups by period, the latest first; without periods that have none.
   * @param isWanted 1 for each group that is
   */
  sums(period: Period, from: Instant, to: Instant, isWanted: Uint8Array): { start: Instant; count: number }[] {
    return this.#startsIn(period, from, to)
      .map((start) => ({ start, count: sumOf(this.#of(period, start), isWanted) }))
      .filter(({ count }) => count > 0)
      .reverse();
  }

  #startsIn(period: Period, from: Instant, to: Instant): Instant[] {
    return (this.#starts.all(periodNumber(period), from, to) as unknown as [Instant][]).map(([start]) => start);
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
    const row = this.#groups.get(periodNumber(period), start) as unknown as readonly [groups: string, requests: string];
    const [groups, requests] = row.map((list) => Uint32Array.from(JSON.parse(list) as number[]));
    const counts = { groups, requests } as Counts;
    this.#cache.set(key, counts);
    return counts;
  }
}

function sumOf({ groups, requests }: Counts, isWanted: Uint8Array): number {
  let sum = 0;
  for (let index = 0; index < groups.length; index++)
    sum += (requests[index] as number) * (isWanted[groups[index] as number] as number);
  return sum;
}

const keyOf = (period: Period, start: Instant) => `${period} ${start}`;
