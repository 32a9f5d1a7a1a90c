import { DDSketch } from '@datadog/sketches-js';

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

/** The numbers of values by bin, in the order of bins: most sketches have few, so lists are smaller and faster than maps. */
export class QuantileSketch {
  #bins: number[] = [];
  #counts: number[] = [];
  /** Counts of all bins while others are added to many: then each costs as much as its own bins. */
  #dense: number[] | undefined;

  add(bin: number, count = 1): void {
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
    other.#toLists();
    const dense = this.#toDense();
    if (!dense) this.#merge(other.#bins, other.#counts);
    else for (const [index, bin] of other.#bins.entries()) addTo(dense, bin, other.#counts[index] as number);
  }

  /** Adds what `encode` returned. */
  mergeEncoded(bytes: Uint8Array): void {
    const [bins, counts]: [number[], number[]] = [[], []];
    let [at, bin] = [0, 0];
    const read = (): number => {
      let byte = bytes[at++] as number;
      let value = byte & 0x7f;
      for (let factor = 0x80; byte >= 0x80; factor *= 0x80) {
        byte = bytes[at++] as number;
        value += (byte & 0x7f) * factor;
      }
      return value;
    };
    const dense = this.#toDense();
    while (dense && at < bytes.length) {
      bin += read();
      addTo(dense, bin, read());
    }
    while (at < bytes.length) {
      bin += read();
      bins.push(bin);
      counts.push(read());
    }
    this.#merge(bins, counts);
  }

  /** As bytes: for each bin its distance from the one before and its count, seven bits a byte. */
  encode(): Uint8Array {
    this.#toLists();
    const bytes: number[] = [];
    const write = (value: number): void => {
      let rest = value;
      for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) + 0x80);
      bytes.push(rest);
    };
    let before = 0;
    for (let index = 0; index < this.#bins.length; index++) {
      const bin = this.#bins[index] as number;
      write(bin - before);
      write(this.#counts[index] as number);
      before = bin;
    }
    return new Uint8Array(bytes);
  }

  /** @returns null without values */
  percentiles(): Percentiles | null {
    this.#toLists();
    if (this.#bins.length === 0) return null;
    return { p50: this.#quantile(0.5), p95: this.#quantile(0.95), p99: this.#quantile(0.99) };
  }

  /** As the library reads it from its own sketch, into which the bins would have to be put one by one. */
  #quantile(quantile: number): number {
    const rank = quantile * (this.#counts.reduce((sum, count) => sum + count, 0) - 1);
    let before = 0;
    const index = this.#counts.findIndex((count) => {
      before += count;
      return before > rank;
    });
    return Math.round(middleOf(this.#bins[index] as number));
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
    this.#bins = [];
    this.#counts = [];
    dense.forEach((count, bin) => {
      if (count === 0) return;
      this.#bins.push(bin);
      this.#counts.push(count);
    });
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
