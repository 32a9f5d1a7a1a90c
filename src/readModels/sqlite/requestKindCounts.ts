import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Period } from '../../../projections/periods.ts';
import type { Instant } from '../../domain/core/brands.ts';
import { periodNumber } from './rollUpTable.ts';

/** Periods whose kinds are kept, some kilobytes each. */
const MAX_ENTRIES = 3_000;

/** Kinds and how many requests were of each, by turns. */
type Counts = Uint32Array;

/**
 * How many requests of which kinds there were in a period. Reading that from the roll-up costs as much as there are kinds, and the
 * dashboard asks for the same hours and days again and again; those that are over hardly ever change.
 */
export class RequestKindCounts {
  readonly #starts: StatementSync;
  readonly #kinds: StatementSync;
  readonly #kept = new Map<string, Counts>();

  constructor(database: DatabaseSync) {
    this.#starts = database.prepare(
      'SELECT DISTINCT start FROM requestsByErrorCode WHERE period = ? AND start >= ? AND start < ?',
    );
    this.#starts.setReturnArrays(true);
    this.#kinds = database.prepare('SELECT kindId, requests FROM requestsByKind WHERE period = ? AND start = ?');
    this.#kinds.setReturnArrays(true);
  }

  /** Adds up all periods that begin within a stretch of time. */
  addTo(sums: Map<number, number>, period: Period, from: Instant, to: Instant): void {
    for (const [start] of this.#starts.all(periodNumber(period), from, to) as unknown as [Instant][]) {
      const counts = this.#of(period, start);
      for (let index = 0; index < counts.length; index += 2) {
        const kind = counts[index] as number;
        sums.set(kind, (sums.get(kind) ?? 0) + (counts[index + 1] as number));
      }
    }
  }

  /** What was kept of a period no longer holds. */
  forget(period: Period, start: Instant): void {
    this.#kept.delete(keyOf(period, start));
  }

  #of(period: Period, start: Instant): Counts {
    const key = keyOf(period, start);
    const kept = this.#kept.get(key);
    if (kept) return kept;
    if (this.#kept.size >= MAX_ENTRIES) this.#kept.clear();
    const rows = this.#kinds.all(periodNumber(period), start) as unknown as [kind: number, count: number][];
    const counts = Uint32Array.from(rows.flat());
    this.#kept.set(key, counts);
    return counts;
  }
}

const keyOf = (period: Period, start: Instant) => `${period} ${start}`;
