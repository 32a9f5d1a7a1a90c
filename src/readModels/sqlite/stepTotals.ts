import { startOf } from '../../../projections/periods.ts';
import { type Instant, instant } from '../../domain/core/brands.ts';
import type { StepTotal } from '../figureSteps.ts';

/** Of some 250 bytes each: two grids of hours of a year. */
const MAX_STEPS = 20_000;
const DAY_MS = 86_400_000;

/**
 * What all requests of a step have in common, as breakdowns without a filter found it last: percentiles take most of such a breakdown,
 * and are the same whatever it groups by. A step of a day in which requests were written since is found again.
 */
export class StepTotals {
  /** By the length of the step and its start. */
  readonly #known = new Map<number, Map<number, { readonly total: StepTotal; readonly writes: number }>>();
  /** By day of UTC the number of the last write. */
  readonly #written = new Map<number, number>();
  readonly #maxSteps: number;
  #steps = 0;
  #writes = 0;
  /** The number of the write before which nothing is known. */
  #cleared = 0;

  constructor(maxSteps = MAX_STEPS) {
    this.#maxSteps = maxSteps;
  }

  /** Changes with everything that is written. */
  get writes(): number {
    return this.#writes;
  }

  /** Called when requests of a period are written. */
  forget(start: Instant): void {
    this.#written.set(startOf('day', start), ++this.#writes);
  }

  clear(): void {
    this.#cleared = ++this.#writes;
    this.#known.clear();
    this.#written.clear();
    this.#steps = 0;
  }

  get(from: number, lengthMs: number): StepTotal | undefined {
    const known = this.#known.get(lengthMs)?.get(from);
    return known && this.#lastWrite(from, lengthMs) <= known.writes ? known.total : undefined;
  }

  /** @param writes that of the snapshot in which the total was found */
  keep(from: number, lengthMs: number, total: StepTotal, writes: number): void {
    if (this.#lastWrite(from, lengthMs) > writes) return;
    if (this.#steps >= this.#maxSteps) {
      this.#known.clear();
      this.#steps = 0;
    }
    const ofLength = this.#known.get(lengthMs) ?? new Map();
    this.#known.set(lengthMs, ofLength);
    if (!ofLength.has(from)) this.#steps++;
    ofLength.set(from, { total, writes });
  }

  #lastWrite(from: number, lengthMs: number): number {
    let last = this.#cleared;
    for (let day: number = startOf('day', instant(from)); day < from + lengthMs; day += DAY_MS)
      last = Math.max(last, this.#written.get(day) ?? 0);
    return last;
  }
}
