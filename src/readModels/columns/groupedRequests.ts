import { writeNumber } from '../../domain/figures/writeNumber.ts';
import { type EncodedCounts, Sums } from '../figureCounts.ts';
import { SUMS } from '../packedDay.ts';
import type { RequestValues } from './requestChunk.ts';
import { addRequests } from './requestSums.ts';

/** The requests that have a number in a sketch, in the order of their bins. */
interface Order {
  readonly rows: Int32Array;
  /** In the same order. */
  readonly bins: Int32Array;
}

/** The distance of a bin from the one before and its count: 2 bytes each for up to 16,383. */
const MAX_BYTES_OF_BIN = 4;

/**
 * Sums up and sketches thousands of requests by groups, all groups at once. Requests are sorted by their bins once; each grouping then
 * only deals them out, so that the bins of each group are in order without a search.
 */
export class GroupedRequests {
  readonly #values: RequestValues;
  readonly #failedKinds: Uint8Array;
  readonly #latency: Order;
  readonly #firstByte: Order;
  readonly #counted: { readonly groups: Int32Array; readonly counts: readonly EncodedCounts[] }[] = [];

  /** @param values no more than 16,383 requests @param failedKinds for each kind of request 1 if it failed */
  constructor(values: RequestValues, failedKinds: Uint8Array) {
    this.#values = values;
    this.#failedKinds = failedKinds;
    this.#latency = orderBy(values.latencyBin, 0);
    // In this column, 0 is no response.
    this.#firstByte = orderBy(values.firstByteBin, 1);
  }

  /**
   * Groupings often divide requests alike, as do the periods that all of them belong to: then the counts are those of before.
   * @param groups the group of each request, which must not change later @param count number of groups
   * @returns by group
   */
  countsBy(groups: Int32Array, count: number): readonly EncodedCounts[] {
    const known = this.#counted.find((other) => other.counts.length === count && areSame(other.groups, groups));
    if (known) return known.counts;
    const counts = this.#countsBy(groups, count);
    this.#counted.push({ groups, counts });
    return counts;
  }

  #countsBy(groups: Int32Array, count: number): EncodedCounts[] {
    const sums = new Float64Array(count * SUMS);
    const values = this.#values;
    const chunk = { column: (name: keyof RequestValues) => values[name] };
    addRequests(chunk, { groups, length: groups.length }, this.#failedKinds, sums);
    const [latency, firstByte] = [sketches(this.#latency, groups, count), sketches(this.#firstByte, groups, count)];
    return latency.map((own, group) => countsOf(sums, group, own, firstByte[group] as Uint8Array));
  }
}

function areSame(left: Int32Array, right: Int32Array): boolean {
  if (left === right) return true;
  for (let index = 0; index < left.length; index++) if (left[index] !== right[index]) return false;
  return left.length === right.length;
}

/** A field each: objects that are made of lists of names take several times as long. */
function countsOf(sums: Float64Array, group: number, latency: Uint8Array, firstByte: Uint8Array): EncodedCounts {
  const own = new Sums();
  own.addList(sums, group * SUMS);
  return Object.assign(own, { latency, firstByte });
}

/** @param first the least number that is a bin; it is bin 0 */
function orderBy(values: Float64Array, first: number): Order {
  const bins = new Int32Array(values.length);
  let [length, most] = [0, 0];
  for (let row = 0; row < bins.length; row++) {
    const bin = (values[row] as number) - first;
    bins[row] = bin;
    if (bin >= 0) length++;
    if (bin > most) most = bin;
  }
  const ends = endsOf(bins, most + 1);
  const rows = new Int32Array(length);
  const ordered = new Int32Array(length);
  for (let row = bins.length - 1; row >= 0; row--) {
    const bin = bins[row] as number;
    if (bin < 0) continue;
    const at = (ends[bin] as number) - 1;
    ends[bin] = at;
    rows[at] = row;
    ordered[at] = bin;
  }
  return { rows, bins: ordered };
}

/** Where those of each number end when they are sorted; negative ones are left out. */
function endsOf(numbers: Int32Array, count: number): Int32Array {
  const ends = new Int32Array(count);
  for (let index = 0; index < numbers.length; index++) {
    const number = numbers[index] as number;
    if (number >= 0) ends[number] = (ends[number] as number) + 1;
  }
  for (let number = 1; number < count; number++) ends[number] = (ends[number] as number) + (ends[number - 1] as number);
  return ends;
}

/** The encoded sketch of each group (see `QuantileSketch.encode`). */
function sketches({ rows, bins }: Order, groups: Int32Array, count: number): Uint8Array[] {
  const own = new Int32Array(rows.length);
  for (let index = 0; index < own.length; index++) own[index] = groups[rows[index] as number] as number;
  const ends = endsOf(own, count);
  const dealt = new Int32Array(own.length);
  for (let index = own.length - 1; index >= 0; index--) {
    const group = own[index] as number;
    const at = (ends[group] as number) - 1;
    ends[group] = at;
    dealt[at] = bins[index] as number;
  }
  // Now `ends` says where the bins of each group begin.
  const bytes = new Uint8Array(own.length * MAX_BYTES_OF_BIN);
  const encoded: Uint8Array[] = [];
  let length = 0;
  for (let group = 0; group < count; group++) {
    const first = length;
    const end = group + 1 < count ? (ends[group + 1] as number) : dealt.length;
    let before = 0;
    for (let index = ends[group] as number; index < end; ) {
      const bin = dealt[index] as number;
      const from = index;
      while (index < end && dealt[index] === bin) index++;
      length = writeNumber(bytes, length, bin - before);
      length = writeNumber(bytes, length, index - from);
      before = bin;
    }
    encoded.push(bytes.subarray(first, length));
  }
  return encoded;
}
