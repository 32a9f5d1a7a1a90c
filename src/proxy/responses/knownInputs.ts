import { BoundedPools, type PoolEntry, type PoolsOptions } from '../requestBody/boundedPools.ts';
import { holdsBytes, ownBytes } from '../requestBody/ownedBytes.ts';
import type { InputFacts } from './inputFacts.ts';

/** An `input` that was read before: its bytes from the opening bracket to the end of its last item. */
export interface KnownInput extends PoolEntry {
  /** With room behind `length`, because a conversation grows. */
  bytes: Buffer;
  length: number;
  /** Where each item ends, from the opening bracket. */
  readonly ends: number[];
  facts: InputFacts;
  size: number;
}

/** The first `count` items of `known` are the first items of a new input. */
export interface KnownStart {
  readonly known: KnownInput;
  readonly count: number;
}

/** Objects that an entry consists of besides its bytes, and what each item adds. */
const OVERHEAD = 500;
const ITEM_OVERHEAD = 8;

/** So that a growing conversation is copied once in a while and not in every turn. */
const GROWTH = 1.5;

/**
 * The inputs of recent conversations. An agent sends the whole history in every turn; what it sent in the turn before is
 * recognised by comparing bytes, a hundred times cheaper than reading them again.
 */
export class KnownInputs {
  readonly #pools: BoundedPools<KnownInput>;

  constructor(options: PoolsOptions) {
    this.#pools = new BoundedPools(options);
  }

  get size(): number {
    return this.#pools.size;
  }

  /** @returns the known input that the array at `at` has most items in common with, from the first one on */
  find(hint: string, raw: Buffer, at: number): KnownStart | undefined {
    let best: KnownInput | undefined;
    let count = 0;
    let length = 0;
    for (const known of this.#pools.entriesOf(hint)) {
      if (known.length <= length) continue;
      const common = commonItems(known, raw, at);
      if (common === 0 || (known.ends[common - 1] as number) <= length) continue;
      best = known;
      count = common;
      length = known.ends[common - 1] as number;
    }
    if (!best) return undefined;
    best.usedAt = this.#pools.tick();
    return { known: best, count };
  }

  /** @param ends where the items end, the last one of them at `start + length` of `raw` */
  remember(hint: string, raw: Buffer, start: number, ends: readonly number[], facts: InputFacts): void {
    const length = ends.at(-1) ?? 0;
    const size = sizeOf(length, ends.length, facts);
    if (length === 0 || !this.#pools.takes(size)) return;
    const bytes = ownBytes(raw, start, start + length);
    this.#pools.add(hint, { bytes, length, ends: [...ends], facts, size, usedAt: this.#pools.tick() });
  }

  /**
   * The conversation went on: only what is new is copied.
   * @param ends where the new items end, @param facts of all items, the new ones too
   */
  extend(known: KnownInput, raw: Buffer, start: number, ends: readonly number[], facts: InputFacts): void {
    const length = ends.at(-1) as number;
    const isFull = length > known.bytes.length;
    const capacity = isFull ? Math.ceil(length * GROWTH) : known.bytes.length;
    const size = sizeOf(capacity, known.ends.length + ends.length, facts);
    if (!this.#pools.takes(size)) return;
    if (isFull) known.bytes = ownBytes(raw, start, start + length, capacity);
    else raw.copy(known.bytes, known.length, start + known.length, start + length);
    for (const end of ends) known.ends.push(end);
    known.length = length;
    known.facts = facts;
    const growth = size - known.size;
    known.size = size;
    this.#pools.grew(growth);
  }
}

const sizeOf = (capacity: number, items: number, facts: InputFacts): number =>
  capacity + items * ITEM_OVERHEAD + facts.size + OVERHEAD;

/**
 * An item is an object and ends with its brace whatever follows, so equal bytes up to that brace are equal items. Where the
 * two inputs part is found by halving, so that no byte is compared more than twice.
 */
function commonItems(known: KnownInput, raw: Buffer, at: number): number {
  const { bytes, ends } = known;
  if (holdsBytes(raw, at, bytes, known.length)) return ends.length;
  let common = 0;
  let commonLength = 0;
  let parted = ends.length;
  while (parted - common > 1) {
    const middle = (common + parted) >> 1;
    const length = ends[middle - 1] as number;
    if (holdsBytes(raw, at, bytes, length, commonLength)) {
      common = middle;
      commonLength = length;
    } else {
      parted = middle;
    }
  }
  return common;
}
