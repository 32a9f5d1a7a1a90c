import { BoundedPools, type PoolsOptions } from './boundedPools.ts';
import { Byte, isSpace } from './jsonScan.ts';
import { holdsBytes, ownBytes } from './ownedBytes.ts';

/** A value that was valid and acceptable in the member `name` of an earlier request. */
export interface KnownValue {
  readonly name: string;
  readonly bytes: Buffer;
  /** What a reader of the member wants to know of it. */
  readonly fact: unknown;
  readonly size: number;
  usedAt: number;
}

/** Objects that an entry consists of besides its bytes. */
const OVERHEAD = 250;

/**
 * Values of members that need not be read again when they come again byte for byte. Only objects, arrays and strings:
 * they end where they end, so that equal bytes are an equal value whatever follows.
 */
export class KnownValues {
  readonly #pools: BoundedPools<KnownValue>;

  constructor(options: PoolsOptions) {
    this.#pools = new BoundedPools(options);
  }

  get size(): number {
    return this.#pools.size;
  }

  /** @param at where the value starts in `raw` */
  find(key: string, name: string, raw: Buffer, at: number): KnownValue | undefined {
    for (const known of this.#pools.entriesOf(key)) {
      if (known.name !== name || !couldEndAt(raw, at + known.bytes.length)) continue;
      if (!holdsBytes(raw, at, known.bytes, known.bytes.length)) continue;
      known.usedAt = this.#pools.tick();
      return known;
    }
    return undefined;
  }

  remember(key: string, name: string, raw: Buffer, start: number, end: number, fact: unknown): void {
    // A fact may be the value as a string, of two bytes a character.
    const size = (end - start) * (fact === undefined ? 1 : 3) + OVERHEAD;
    if (!this.#pools.takes(size)) return;
    this.#pools.add(key, { name, bytes: ownBytes(raw, start, end), fact, size, usedAt: this.#pools.tick() });
  }
}

/** Two bytes tell most candidates apart without a comparison. */
function couldEndAt(raw: Buffer, end: number): boolean {
  const next = raw[end];
  return next === Byte.comma || next === Byte.closeBrace || isSpace(next);
}
