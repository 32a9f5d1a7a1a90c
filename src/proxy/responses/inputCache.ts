import { BoundedCache, type CacheEntry, type CacheLimits } from '../requestBody/boundedCache.ts';
import { copyBytes, hasBytesAt } from '../requestBody/bytes.ts';
import type { InputSummary } from './inputSummary.ts';

/** The `input` of an earlier request: its bytes from the opening bracket to the end of its last item. */
export interface CachedInput extends CacheEntry {
  /** Longer than `length`, so that the conversation can grow without a copy. */
  bytes: Buffer;
  length: number;
  /** Where each item ends, relative to the opening bracket. */
  readonly ends: number[];
  summary: InputSummary;
  size: number;
}

/** The first `itemCount` items of `input` are also the first items of the new input. */
export interface CachedPrefix {
  readonly input: CachedInput;
  readonly itemCount: number;
}

/** Bytes of the objects that make up an entry, and of those for each item. */
const ENTRY_OVERHEAD = 500;
const ITEM_OVERHEAD = 8;

/** Factor of extra capacity, so that a growing conversation is not copied in every turn. */
const GROWTH = 1.5;

/**
 * Caches the inputs of recent conversations. An agent sends its whole history in every turn; comparing its bytes with those
 * of the previous turn is a hundred times cheaper than parsing them again.
 */
export class InputCache {
  readonly #cache: BoundedCache<CachedInput>;

  constructor(limits: CacheLimits) {
    this.#cache = new BoundedCache(limits);
  }

  get size(): number {
    return this.#cache.size;
  }

  /** @returns the longest prefix that the array at `at` shares with a cached input */
  find(hint: string, raw: Buffer, at: number): CachedPrefix | undefined {
    let input: CachedInput | undefined;
    let itemCount = 0;
    let length = 0;
    for (const candidate of this.#cache.get(hint)) {
      if (candidate.length <= length) continue;
      const common = countCommonItems(candidate, raw, at);
      if (common === 0 || (candidate.ends[common - 1] as number) <= length) continue;
      input = candidate;
      itemCount = common;
      length = candidate.ends[common - 1] as number;
    }
    if (!input) return undefined;
    input.usedAt = this.#cache.tick();
    return { input, itemCount };
  }

  /** @param ends where the items end, relative to `start` */
  remember(hint: string, raw: Buffer, start: number, ends: readonly number[], summary: InputSummary): void {
    const length = ends.at(-1) ?? 0;
    const size = sizeOf(length, ends.length, summary);
    if (length === 0 || !this.#cache.accepts(size)) return;
    const bytes = copyBytes(raw, start, start + length);
    this.#cache.add(hint, { bytes, length, ends: [...ends], summary, size, usedAt: this.#cache.tick() });
  }

  /**
   * Adds the new items of a conversation to its entry. Copies only those while the capacity lasts.
   * @param ends where the new items end, relative to `start`
   * @param summary of all items, old and new
   */
  extend(input: CachedInput, raw: Buffer, start: number, ends: readonly number[], summary: InputSummary): void {
    const length = ends.at(-1) as number;
    const isFull = length > input.bytes.length;
    const capacity = isFull ? Math.ceil(length * GROWTH) : input.bytes.length;
    const size = sizeOf(capacity, input.ends.length + ends.length, summary);
    if (!this.#cache.accepts(size)) return;
    if (isFull) input.bytes = copyBytes(raw, start, start + length, capacity);
    else raw.copy(input.bytes, input.length, start + input.length, start + length);
    for (const end of ends) input.ends.push(end);
    input.length = length;
    input.summary = summary;
    const growth = size - input.size;
    input.size = size;
    this.#cache.grow(growth);
  }
}

const sizeOf = (capacity: number, items: number, summary: InputSummary): number =>
  capacity + items * ITEM_OVERHEAD + summary.size + ENTRY_OVERHEAD;

/**
 * Items are objects, and thus self-delimiting: equal bytes up to the closing brace are equal items. A binary search finds
 * the last common item, so that no byte is compared more than twice.
 */
function countCommonItems({ bytes, ends, length: inputLength }: CachedInput, raw: Buffer, at: number): number {
  if (hasBytesAt(raw, at, bytes, inputLength)) return ends.length;
  let common = 0;
  let commonLength = 0;
  let different = ends.length;
  while (different - common > 1) {
    const middle = (common + different) >> 1;
    const length = ends[middle - 1] as number;
    if (hasBytesAt(raw, at, bytes, length, commonLength)) {
      common = middle;
      commonLength = length;
    } else {
      different = middle;
    }
  }
  return common;
}
