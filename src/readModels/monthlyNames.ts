import { type Grouping, MAX_NAMES, UNBOUNDED } from '../../projections/figures.ts';
import { endOf, startOf } from '../../projections/periods.ts';
import type { Instant } from '../domain/core/brands.ts';
import { type GroupKey, keyOf, REST } from './figureCounts.ts';

/** The names of one month that have groups of their own. */
interface Month {
  readonly from: Instant;
  readonly to: Instant;
  readonly names: ReadonlyMap<Grouping, Set<string>>;
}

export interface MonthlyName {
  readonly month: Instant;
  readonly by: Grouping;
  readonly name: string;
}

/**
 * Of what clients choose freely, the first names of a month in the log have groups, all later ones share one: the log decides, so that a
 * rebuild gives the same, and after a flood of names the next month has room for new ones.
 */
export class MonthlyNames {
  readonly #months = new Map<Instant, Month>();
  readonly #namesOf: (month: Instant) => Iterable<MonthlyName>;
  readonly #maxMonths: number;
  #last: Month | undefined;
  #new: MonthlyName[] = [];

  /**
   * @param namesOf reads the names of a month that is not in memory
   * @param maxMonths months in memory
   */
  constructor(namesOf: (month: Instant) => Iterable<MonthlyName> = () => [], maxMonths = Number.POSITIVE_INFINITY) {
    this.#namesOf = namesOf;
    this.#maxMonths = maxMonths;
  }

  /** Adds a name that had a group before. */
  load(month: Instant, by: Grouping, name: string): void {
    this.#monthOf(month).names.get(by)?.add(name);
  }

  /** The group that counts the next request; a new name gets one while there is room. */
  assign(by: Grouping, name: string | null, at: Instant): GroupKey {
    if (name === null || !UNBOUNDED.has(by)) return keyOf(name);
    const month = this.#monthOf(at);
    const names = month.names.get(by) as Set<string>;
    if (!names.has(name)) {
      if (names.size >= MAX_NAMES) return REST;
      names.add(name);
      this.#new.push({ month: month.from, by, name });
    }
    return keyOf(name);
  }

  /** The group that has counted a request. */
  keyFor(by: Grouping, name: string | null, at: Instant): GroupKey {
    if (name === null || !UNBOUNDED.has(by)) return keyOf(name);
    return this.#monthOf(at).names.get(by)?.has(name) ? keyOf(name) : REST;
  }

  /** Whether the month of a moment has no room for further names. */
  isFull(by: Grouping, at: Instant): boolean {
    return UNBOUNDED.has(by) && (this.#monthOf(at).names.get(by)?.size ?? 0) >= MAX_NAMES;
  }

  /** The names that got groups since the last time, in order: the caller stores them. */
  takeNew(): readonly MonthlyName[] {
    const names = this.#new;
    this.#new = [];
    return names;
  }

  /** Forgets what is in memory, with the names that were not taken. */
  clear(): void {
    this.#months.clear();
    this.#new = [];
    this.#last = undefined;
  }

  #monthOf(at: Instant): Month {
    if (this.#last && at >= this.#last.from && at < this.#last.to) return this.#last;
    const from = startOf('month', at);
    let month = this.#months.get(from);
    if (!month) {
      const names = new Map([...UNBOUNDED].map((by) => [by, new Set<string>()]));
      for (const { by, name } of this.#namesOf(from)) names.get(by)?.add(name);
      for (const { month: own, by, name } of this.#new) if (own === from) names.get(by)?.add(name);
      month = { from, to: endOf('month', from), names };
      if (this.#months.size >= this.#maxMonths) this.#months.clear();
      this.#months.set(from, month);
    }
    this.#last = month;
    return month;
  }
}
