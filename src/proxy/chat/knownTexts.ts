import { BoundedCache, type CacheEntry, type CacheLimits } from '../requestBody/boundedCache.ts';
import { copyBytes, hasBytesAt } from '../requestBody/bytes.ts';

/** A text of an earlier request. */
export interface KnownText extends CacheEntry {
  /** The JSON string, quotes included. */
  readonly bytes: Buffer;
  /** The name of a conversation that begins with the text, in requests of the `ChatShape` with this id. */
  name: { readonly shapeId: number; readonly value: string } | undefined;
}

/** Bytes of the objects that make up an entry. */
const ENTRY_OVERHEAD = 600;
/** What a name needs at most: two bytes a character, once in the entry and once in the text that it was cut from. */
const MAX_NAME_BYTES = 4 * 2_048;
/** One key takes some 100 bytes. */
const MAX_SEEN_ONCE = 4_096;
/** Of each end of a text, in the key of its bucket. */
const SAMPLE_BYTES = 24;

/**
 * Caches the long texts of chats, found by their bytes: which are JSON strings in UTF-8 need not be found out again. A chat has
 * the same instructions as others, and all its messages come again with each turn.
 */
export class KnownTexts {
  readonly #cache: BoundedCache<KnownText>;
  /** Keys of texts. */
  readonly #seenOnce = new Set<string>();

  constructor(limits: CacheLimits) {
    this.#cache = new BoundedCache(limits);
  }

  get size(): number {
    return this.#cache.size;
  }

  /** @param start @param end offsets of a JSON string, quotes included, that is longer than two samples */
  find(raw: Buffer, start: number, end: number): KnownText | undefined {
    for (const entry of this.#cache.get(keyOf(raw, start, end))) {
      const { bytes } = entry;
      if (bytes.length !== end - start || !hasBytesAt(raw, start, bytes, bytes.length)) continue;
      entry.usedAt = this.#cache.tick();
      return entry;
    }
    return undefined;
  }

  /** Keeps a text when it comes for the second time: most come only once, and need no copy. */
  remember(raw: Buffer, start: number, end: number): void {
    const size = end - start + ENTRY_OVERHEAD + Math.min(4 * (end - start), MAX_NAME_BYTES);
    if (!this.#cache.accepts(size)) return;
    const key = keyOf(raw, start, end);
    if (this.#seenOnce.delete(key)) {
      const entry = { bytes: copyBytes(raw, start, end), size, usedAt: this.#cache.tick(), name: undefined };
      this.#cache.add(key, entry);
      return;
    }
    if (this.#seenOnce.size >= MAX_SEEN_ONCE) this.#seenOnce.clear();
    this.#seenOnce.add(key);
  }
}

/** Differs for nearly all texts, so that few are compared. */
const keyOf = (raw: Buffer, start: number, end: number): string =>
  (end - start).toString(36) +
  raw.toString('latin1', start + 1, start + 1 + SAMPLE_BYTES) +
  raw.toString('latin1', end - 1 - SAMPLE_BYTES, end - 1);
