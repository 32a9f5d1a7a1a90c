import { DDSketch } from '@datadog/sketches-js';
import { writeNumber } from './writeNumber.ts';

// A quantile sketch (DDSketch, https://arxiv.org/abs/1908.10693) is the numbers of values in bins whose bounds grow by 2 %, so that
// each quantile is within 1 % of a value. Sketches merge by adding their bins, in any order.

const RELATIVE_ACCURACY = 0.01;
const { mapping } = new DDSketch({ relativeAccuracy: RELATIVE_ACCURACY });

/** The bin of a time in whole milliseconds: 0 for none. Times up to a day have 924 bins. */
export const binOf = (ms: number): number => (ms <= 0 ? 0 : mapping.key(ms) + 1);

const middleOf = (bin: number): number => (bin === 0 ? 0 : mapping.value(bin - 1));

/** Percentiles in milliseconds, rounded. */
export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** Of fewer bins, adding one by one is faster than a pass over both lists. */
const FEW_BINS = 8;
const MANY_BINS = 64;

/** Counts by bin while encoded sketches are read: one list for all sketches and any time, which is all zeros between two of them. */
const scratch = new Float64Array(binOf(Number.MAX_SAFE_INTEGER) + 1);

/** While percentiles are read: the bins that have values, and the numbers of values up to the end of each. */
const usedBins = new Uint32Array(scratch.length);
const counted = new Float64Array(scratch.length);

/** The distance of a bin from the one before, which two bytes hold, and its count. */
const MAX_BYTES_OF_BIN = 10;
/** A sketch while it is encoded. */
const encoded = new Uint8Array(scratch.length * MAX_BYTES_OF_BIN);

/** The numbers of values by bin, in the order of bins: most sketches have few, so lists are smaller and faster than maps. */
export class QuantileSketch {
  #bins: number[] = [];
  #counts: number[] = [];
  /** Counts of all bins while others are added to many: then each costs as much as its own bins. */
  #dense: number[] | undefined;
  /** What `mergeEncoded` added, which is read when it is needed: of most steps of a chart, percentiles alone are. */
  #encoded: Uint8Array[] = [];
  /** What `subtract` took off, likewise. */
  #subtracted: Uint8Array[] = [];

  add(bin: number, count = 1): void {
    this.#decode();
    const dense = this.#toDense();
    if (dense) addTo(dense, bin, count);
    else this.#addToLists(bin, count);
  }

  #addToLists(bin: number, count: number): void {
    const bins = this.#bins;
    let [low, high] = [0, bins.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((bins[middle] as number) < bin) low = middle + 1;
      else high = middle;
    }
    if (bins[low] === bin) {
      this.#counts[low] = (this.#counts[low] as number) + count;
      return;
    }
    bins.splice(low, 0, bin);
    this.#counts.splice(low, 0, count);
  }

  merge(other: QuantileSketch): void {
    this.#decode();
    other.#decode();
    other.#toLists();
    const dense = this.#toDense();
    if (!dense) this.#merge(other.#bins, other.#counts);
    else for (const [index, bin] of other.#bins.entries()) addTo(dense, bin, other.#counts[index] as number);
  }

  /** Adds what `encode` returned; the bytes must not change afterwards. */
  mergeEncoded(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#encoded.push(bytes);
  }

  /** Takes values off that are in this sketch; the other one must not change afterwards. */
  subtract(other: QuantileSketch): void {
    const isEncoded = other.#bins.length === 0 && !other.#dense && other.#subtracted.length === 0;
    this.#subtracted.push(...(isEncoded ? other.#encoded : [other.encode()]));
  }

  /** As bytes: for each bin its distance from the one before and its count, seven bits a byte. */
  encode(): Uint8Array {
    this.#decode();
    this.#toLists();
    let [length, before] = [0, 0];
    for (let index = 0; index < this.#bins.length; index++) {
      const bin = this.#bins[index] as number;
      length = writeNumber(encoded, length, bin - before);
      length = writeNumber(encoded, length, this.#counts[index] as number);
      before = bin;
    }
    return encoded.slice(0, length);
  }

  /** @returns null without values */
  percentiles(): Percentiles | null {
    this.#toLists();
    if (this.#bins.length === 0 && this.#encoded.length === 0) return null;
    const bins = this.#fillScratch();
    // One pass over all bins, most of which are empty: a year by hours has 17,520 sketches.
    let [length, count] = [0, 0];
    for (let bin = 0; bin < bins; bin++) {
      const own = scratch[bin] as number;
      if (own === 0) continue;
      scratch[bin] = 0;
      count += own;
      usedBins[length] = bin;
      counted[length++] = count;
    }
    if (length === 0) return null;
    // As the library reads it from its own sketch, into which the bins would have to be put one by one.
    let index = 0;
    const next = (quantile: number): number => {
      while ((counted[index] as number) <= quantile * (count - 1)) index++;
      return Math.round(middleOf(usedBins[index] as number));
    };
    return { p50: next(0.5), p95: next(0.95), p99: next(0.99) };
  }

  /** Puts the lists and all that is encoded into `scratch`. @returns the number of bins to read, which the caller sets to zero again */
  #fillScratch(): number {
    let bins = 0;
    for (const bytes of this.#encoded) bins = Math.max(bins, addEncodedCounts(bytes, scratch, 0));
    const last = this.#bins.at(-1) ?? -1;
    for (let index = 0; index < this.#bins.length; index++) {
      const bin = this.#bins[index] as number;
      scratch[bin] = (scratch[bin] as number) + (this.#counts[index] as number);
    }
    for (const bytes of this.#subtracted) addEncodedCounts(bytes, scratch, 0, -1);
    return Math.max(bins, last + 1);
  }

  #decode(): void {
    if (this.#encoded.length === 0 && this.#subtracted.length === 0) return;
    this.#toLists();
    const bins = this.#fillScratch();
    this.#encoded = [];
    this.#subtracted = [];
    this.#takeCounts(scratch.subarray(0, bins));
    scratch.fill(0, 0, bins);
  }

  /** @returns undefined while there are few bins */
  #toDense(): number[] | undefined {
    if (this.#dense || this.#bins.length < MANY_BINS) return this.#dense;
    const dense = new Array<number>((this.#bins.at(-1) as number) + 1).fill(0);
    this.#bins.forEach((bin, index) => {
      dense[bin] = this.#counts[index] as number;
    });
    this.#dense = dense;
    return dense;
  }

  #toLists(): void {
    const dense = this.#dense;
    if (!dense) return;
    this.#dense = undefined;
    this.#takeCounts(dense);
  }

  #takeCounts(counts: ArrayLike<number>): void {
    this.#bins = [];
    this.#counts = [];
    for (let bin = 0; bin < counts.length; bin++) {
      const count = counts[bin] as number;
      if (count === 0) continue;
      this.#bins.push(bin);
      this.#counts.push(count);
    }
  }

  #merge(bins: readonly number[], counts: readonly number[]): void {
    if (bins.length < FEW_BINS) {
      for (let index = 0; index < bins.length; index++)
        this.#addToLists(bins[index] as number, counts[index] as number);
      return;
    }
    const [ownBins, ownCounts] = [this.#bins, this.#counts];
    const [allBins, allCounts]: [number[], number[]] = [[], []];
    let [own, other] = [0, 0];
    while (own < ownBins.length || other < bins.length) {
      const left = own < ownBins.length ? (ownBins[own] as number) : Number.POSITIVE_INFINITY;
      const right = other < bins.length ? (bins[other] as number) : Number.POSITIVE_INFINITY;
      let count = 0;
      if (left <= right) count += ownCounts[own++] as number;
      if (right <= left) count += counts[other++] as number;
      allBins.push(Math.min(left, right));
      allCounts.push(count);
    }
    this.#bins = allBins;
    this.#counts = allCounts;
  }
}

function addTo(dense: number[], bin: number, count: number): void {
  while (dense.length <= bin) dense.push(0);
  dense[bin] = (dense[bin] as number) + count;
}

/** Numbers of values by bin, as `QuantileSketch.encode` returns them. */
export function encodeCounts(counts: Int32Array | Uint32Array): Uint8Array {
  let [length, before] = [0, 0];
  for (let bin = 0; bin < counts.length; bin++) {
    const count = counts[bin] as number;
    if (count === 0) continue;
    length = writeNumber(encoded, length, bin - before);
    length = writeNumber(encoded, length, count);
    before = bin;
  }
  return encoded.slice(0, length);
}

/**
 * Adds the counts of an encoded sketch to a list that has room for its bins.
 * @param first where the first bin is
 * @param factor -1 takes them off
 * @returns where the bins end
 */
export function addEncodedCounts(
  bytes: Uint8Array,
  into: Int32Array | Float64Array,
  first: number,
  factor = 1,
): number {
  let [at, bin] = [0, first];
  while (at < bytes.length) {
    let byte = bytes[at++] as number;
    bin += byte & 0x7f;
    for (let factor = 0x80; byte >= 0x80; factor *= 0x80) {
      byte = bytes[at++] as number;
      bin += (byte & 0x7f) * factor;
    }
    byte = bytes[at++] as number;
    let count = byte & 0x7f;
    for (let factor = 0x80; byte >= 0x80; factor *= 0x80) {
      byte = bytes[at++] as number;
      count += (byte & 0x7f) * factor;
    }
    into[bin] = (into[bin] as number) + count * factor;
  }
  return bin + 1;
}
