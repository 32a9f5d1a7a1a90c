import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Period } from '../../../projections/periods.ts';
import type { Instant } from '../../domain/brands.ts';
import { periodNumber } from './rollUpTable.ts';

/** Periods whose kinds are kept, some kilobytes each. */
const MOST_KEPT = 3_000;

/**
 * Which kinds of requests there were in a period. Reading that from the roll-up costs as much as there are kinds, and the
 * dashboard asks for the same hours and days again and again; those that are over hardly ever change.
 */
export class KindsByPeriod {
  readonly #starts: StatementSync;
  readonly #kinds: StatementSync;
  readonly #kept = new Map<string, Uint32Array>();

  constructor(database: DatabaseSync) {
    this.#starts = database.prepare(
      'SELECT DISTINCT start FROM requestsByErrorCode WHERE period = ? AND start >= ? AND start < ?',
    );
    this.#starts.setReturnArrays(true);
    this.#kinds = database.prepare('SELECT kindId FROM requestsByKind WHERE period = ? AND start = ?');
    this.#kinds.setReturnArrays(true);
  }

  /** Adds the kinds of all periods that begin within a stretch of time. */
  addTo(found: Set<number>, period: Period, from: Instant, to: Instant): void {
    for (const [start] of this.#starts.all(periodNumber(period), from, to) as unknown as [Instant][]) {
      for (const kind of this.#of(period, start)) found.add(kind);
    }
  }

  /** What was kept of a period no longer holds. */
  forget(period: Period, start: Instant): void {
    this.#kept.delete(keyOf(period, start));
  }

  #of(period: Period, start: Instant): Uint32Array {
    const key = keyOf(period, start);
    const kept = this.#kept.get(key);
    if (kept) return kept;
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear();
    const kinds = Uint32Array.from((this.#kinds.all(periodNumber(period), start) as unknown as [number][]).flat());
    this.#kept.set(key, kinds);
    return kinds;
  }
}

const keyOf = (period: Period, start: Instant) => `${period} ${start}`;
