export interface CacheLimits {
  /** For all entries together, by their `size`. */
  readonly maxBytes: number;
  readonly maxEntryBytes: number;
  readonly maxKeys: number;
  readonly maxEntriesPerKey: number;
}

export interface CacheEntry {
  /** Memory that the entry keeps alive, in bytes. */
  readonly size: number;
  /** The value of `tick()` when the entry was last used. */
  usedAt: number;
}

interface Bucket<Entry> {
  readonly entries: Entry[];
  wasReadRecently: boolean;
}

const NO_ENTRIES: readonly never[] = [];

/**
 * An in-memory cache with a few entries for each key, bounded in bytes. Keys are evicted by the clock algorithm, so that a
 * hit costs one flag; within a key the least recently used entry is evicted.
 */
export class BoundedCache<Entry extends CacheEntry> {
  readonly #limits: CacheLimits;
  readonly #buckets = new Map<string, Bucket<Entry>>();
  #size = 0;
  #tick = 0;

  constructor(limits: CacheLimits) {
    this.#limits = limits;
  }

  /** Size of all entries together, in bytes. */
  get size(): number {
    return this.#size;
  }

  /** Advances the cache's clock, and returns the new value for `usedAt`. */
  tick(): number {
    return ++this.#tick;
  }

  /** The entries of a key; none if it is not cached. */
  get(key: string): readonly Entry[] {
    const bucket = this.#buckets.get(key);
    if (!bucket) return NO_ENTRIES;
    bucket.wasReadRecently = true;
    return bucket.entries;
  }

  /** @returns whether `add` would store an entry of that size */
  accepts(size: number): boolean {
    return size <= this.#limits.maxEntryBytes;
  }

  /** Stores an entry and evicts others if necessary. Ignores an entry that is too large. */
  add(key: string, entry: Entry): void {
    if (!this.accepts(entry.size)) return;
    const existing = this.#buckets.get(key);
    const bucket = existing ?? { entries: [], wasReadRecently: true };
    if (!existing) this.#buckets.set(key, bucket);
    if (bucket.entries.length >= this.#limits.maxEntriesPerKey) this.#replaceOldest(bucket, entry);
    else bucket.entries.push(entry);
    this.#size += entry.size;
    this.#evict();
    // The flag only protected the new key from this eviction.
    if (!existing) bucket.wasReadRecently = false;
  }

  /** Accounts for an entry that has grown by `bytes` since it was added. */
  grow(bytes: number): void {
    this.#size += bytes;
    this.#evict();
  }

  #replaceOldest(bucket: Bucket<Entry>, entry: Entry): void {
    let oldest = 0;
    for (const [index, { usedAt }] of bucket.entries.entries()) {
      if (usedAt < (bucket.entries[oldest] as Entry).usedAt) oldest = index;
    }
    this.#size -= (bucket.entries[oldest] as Entry).size;
    bucket.entries[oldest] = entry;
  }

  #evict(): void {
    const { maxBytes, maxKeys } = this.#limits;
    if (this.#size <= maxBytes && this.#buckets.size <= maxKeys) return;
    // A bucket that gets a second chance moves to the end, with its flag cleared, so the loop sees it again.
    for (const [key, bucket] of this.#buckets) {
      this.#buckets.delete(key);
      if (bucket.wasReadRecently) {
        bucket.wasReadRecently = false;
        this.#buckets.set(key, bucket);
        continue;
      }
      for (const { size } of bucket.entries) this.#size -= size;
      if (this.#size <= maxBytes && this.#buckets.size <= maxKeys) return;
    }
  }
}
