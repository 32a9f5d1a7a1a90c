import { type Instant, instant } from '../../domain/core/brands.ts';

/** The amounts of one bucket of time. */
export type Amounts<Name extends string> = Record<Name, number>;

const FIRST_BUCKET_MS = 60_000;
/** Each of these contains a whole number of the one before. */
const BUCKETS_MS = [1, 5, 15, 60, 240, 720, 1_440, 2_880, 5_760, 11_520, 23_040, 46_080, 92_160, 184_320, 368_640].map(
  (minutes) => minutes * 60_000,
);

/**
 * Sums of amounts over time, in buckets of equal length that begin at multiples of it (UTC). Buckets grow with the time that
 * they cover, so that there are never more than `maxBuckets`.
 */
export class TimeSeries<Name extends string> {
  readonly #names: readonly Name[];
  readonly #maxBuckets: number;
  #bucketMs = FIRST_BUCKET_MS;
  #buckets = new Map<number, Amounts<Name>>();

  constructor(names: readonly Name[], maxBuckets: number) {
    this.#names = names;
    this.#maxBuckets = maxBuckets;
  }

  get bucketMs(): number {
    return this.#bucketMs;
  }

  add(at: Instant, amounts: Partial<Amounts<Name>>): void {
    this.#addTo(this.#buckets, Math.floor(at / this.#bucketMs), amounts);
    while (this.#buckets.size > this.#maxBuckets) this.#widen();
  }

  /** In the order of time; buckets without amounts are left out. */
  points(): (Amounts<Name> & { readonly at: Instant })[] {
    return [...this.#buckets]
      .toSorted(([a], [b]) => a - b)
      .map(([bucket, amounts]) => ({ at: instant(bucket * this.#bucketMs), ...amounts }));
  }

  #widen(): void {
    const from = this.#bucketMs;
    this.#bucketMs = BUCKETS_MS.find((ms) => ms > from) ?? from * 2;
    const buckets = this.#buckets;
    this.#buckets = new Map();
    for (const [bucket, amounts] of buckets)
      this.#addTo(this.#buckets, Math.floor((bucket * from) / this.#bucketMs), amounts);
  }

  #addTo(buckets: Map<number, Amounts<Name>>, bucket: number, amounts: Partial<Amounts<Name>>): void {
    let sums = buckets.get(bucket);
    if (!sums) {
      sums = Object.fromEntries(this.#names.map((name) => [name, 0])) as Amounts<Name>;
      buckets.set(bucket, sums);
    }
    for (const name of this.#names) sums[name] += amounts[name] ?? 0;
  }
}
