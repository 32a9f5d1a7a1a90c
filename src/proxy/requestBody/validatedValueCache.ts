import { BoundedCache, type CacheLimits } from './boundedCache.ts';
import { copyBytes, hasBytesAt } from './bytes.ts';
import { Byte, isSpace } from './jsonScan.ts';

/** A value that passed the checks of the member `name` in an earlier request. */
export interface ValidatedValue {
  readonly name: string;
  readonly bytes: Buffer;
  /** What the reader of the member extracted from the value. */
  readonly extracted: unknown;
  readonly size: number;
  usedAt: number;
}

/** Bytes of the objects that make up an entry, in addition to the value itself. */
const ENTRY_OVERHEAD = 250;

/**
 * Caches member values, which need no parsing and no checks when they arrive again byte for byte. Only objects, arrays and
 * strings: they are self-delimiting, so equal bytes are an equal value whatever follows.
 */
export class ValidatedValueCache {
  readonly #cache: BoundedCache<ValidatedValue>;

  constructor(limits: CacheLimits) {
    this.#cache = new BoundedCache(limits);
  }

  get size(): number {
    return this.#cache.size;
  }

  /** @param at where the value starts in `raw` */
  find(key: string, name: string, raw: Buffer, at: number): ValidatedValue | undefined {
    for (const entry of this.#cache.get(key)) {
      if (entry.name !== name || !couldEndAt(raw, at + entry.bytes.length)) continue;
      if (!hasBytesAt(raw, at, entry.bytes, entry.bytes.length)) continue;
      entry.usedAt = this.#cache.tick();
      return entry;
    }
    return undefined;
  }

  remember(key: string, name: string, raw: Buffer, start: number, end: number, extracted: unknown): void {
    // What was extracted may be the whole value as a string, of two bytes a character.
    const size = (end - start) * (extracted === undefined ? 1 : 3) + ENTRY_OVERHEAD;
    if (!this.#cache.accepts(size)) return;
    this.#cache.add(key, { name, bytes: copyBytes(raw, start, end), extracted, size, usedAt: this.#cache.tick() });
  }
}

/** Checks only the byte after the value, which rules out most candidates without a comparison. */
function couldEndAt(raw: Buffer, end: number): boolean {
  const next = raw[end];
  return next === Byte.comma || next === Byte.closeBrace || isSpace(next);
}
